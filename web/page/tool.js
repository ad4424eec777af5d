// The tool in a worker, as promises. The page has one tool for plans and pictures; each dropped file gets a tool of its own, so that
// its memory is free again afterwards.

const textOf = (id) => document.getElementById(id).textContent;

let parts;
function loadParts() {
  parts ??= (async () => {
    // The script and the WebAssembly stand behind the page's own script, so that the page is painted before they are read.
    if (document.readyState === 'loading') await new Promise((resolve) => { addEventListener('DOMContentLoaded', resolve); });
    if (!('DecompressionStream' in window)) throw new Error('This browser is too old for the page: it has no DecompressionStream, which came in 2023.');
    const packed = Uint8Array.from(atob(textOf('wasm').trim()), (letter) => letter.charCodeAt(0));
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return {
      wasm: new Uint8Array(await new Response(unpacked).arrayBuffer()),
      script: URL.createObjectURL(new Blob([textOf('worker')], { type: 'text/javascript' })),
    };
  })();
  return parts;
}

export class Tool {
  #worker;
  #waiting = new Map();
  #next = 1;
  #ready;

  constructor(onProgress = () => {}) {
    this.onProgress = onProgress;
    this.#ready = this.#start();
  }

  async #start() {
    const { wasm, script } = await loadParts();
    if (this.isClosed) return;
    this.#worker = new Worker(script);
    this.#worker.onmessage = ({ data }) => {
      if (data.progress) return this.onProgress(data.progress);
      const { resolve, reject } = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.problem === undefined) resolve(data);
      else reject(new Error(data.problem));
    };
    this.#worker.onerror = (event) => this.#refuseAll(new Error(event.message || 'the worker stopped'));
    await this.#post({ wasm });
  }

  #refuseAll(problem) {
    for (const { reject } of this.#waiting.values()) reject(problem);
    this.#waiting.clear();
  }

  #post(message, transfer = []) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...message }, transfer);
    });
  }

  // {code, out, err} of `membrane WORDS...`
  async run(...words) {
    await this.#ready;
    const { code, out, err } = await this.#post({ words: words.map(String) });
    return { code, out, err };
  }

  // The JSON that a command prints. Throws the tool's message.
  async ask(...words) {
    const { code, out, err } = await this.run(...words);
    if (out === '' || code > 1) throw new Error(messageOf(err));
    return JSON.parse(out);
  }

  async show(files) {
    await this.#ready;
    return this.#post({ files });
  }

  async read(path) {
    await this.#ready;
    return (await this.#post({ read: path })).bytes;
  }

  close() {
    this.isClosed = true;
    this.#worker?.terminate();
    this.#refuseAll(new Error('stopped'));
  }
}

// Without the name of the tool in front of each line, and without its advice to read the help, which the page has not.
export const messageOf = (err) => err.trim().replace(/^membrane: /gm, '').replace(/; see `membrane [a-z ]*--help`$/, '');
