// Runs the tool in a worker. The script of Emscripten, which defines createMembrane, stands before this one in the worker's blob.
//
// Messages to the worker: {id, wasm} once; {id, words} runs a command; {id, files} makes files of the disk readable in the current folder;
// {id, read} fetches a file that a command wrote. Each is answered by {id, ...result} or {id, problem}; {progress} comes in between.
/* global createMembrane */
let tool;
const written = { 1: [], 2: [] };

const textOf = (number) => {
  const bytes = written[number];
  written[number] = [];
  return new TextDecoder().decode(Uint8Array.from(bytes));
};

async function start(wasm) {
  tool = await createMembrane({
    wasmBinary: wasm,
    stdin: () => null,
    stdout: (byte) => written[1].push(byte),
    stderr: (byte) => written[2].push(byte),
    progress: (verb, done, total, keys) => postMessage({ progress: { verb, done, total, keys } }),
  });
  tool.FS.mkdir('/dropped');
  tool.FS.mkdir('/work');
  tool.FS.chdir('/work');
  return {};
}

function run(words) {
  const bytes = new TextEncoder().encode(words.map((word) => `${word}\0`).join(''));
  const place = tool._malloc(bytes.length);
  tool.HEAPU8.set(bytes, place);
  const code = tool._page_run(place, bytes.length);
  tool._free(place);
  return { code, out: textOf(1), err: textOf(2) };
}

// By links in the current folder, which can be written to: messages then name files without a path.
function show(files) {
  tool.FS.mount(tool.FS.filesystems.WORKERFS, { files }, '/dropped');
  for (const { name } of files) tool.FS.symlink(`/dropped/${name}`, `/work/${name}`);
  return {};
}

onmessage = async ({ data }) => {
  const { id } = data;
  try {
    let answer;
    if (data.wasm) answer = await start(data.wasm);
    else if (data.words) answer = run(data.words);
    else if (data.files) answer = show(data.files);
    else if (data.read) answer = { bytes: tool.FS.readFile(data.read) };
    postMessage({ id, ...answer }, answer.bytes ? [answer.bytes.buffer] : []);
  } catch (problem) {
    postMessage({ id, problem: String(problem && problem.message ? problem.message : problem) });
  }
};
