// Elements from JavaScript. Text never becomes markup.
export const find = (selector, root = document) => root.querySelector(selector);
export const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const draw = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

export const show = (element, ...children) => element.replaceChildren(...children.flat(Infinity).filter(Boolean));

export function copyButton(text, label = 'Copy') {
  const button = make('button', { type: 'button', class: 'quiet', onclick: async () => {
    let said = 'Copied';
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      // A page from a file may have no clipboard: the old way.
      const field = make('textarea', {}, text());
      document.body.append(field);
      field.select();
      said = document.execCommand('copy') ? 'Copied' : 'Select and copy by hand';
      field.remove();
      button.focus();
    }
    button.textContent = said;
    setTimeout(() => { button.textContent = label; }, 1500);
  } }, label);
  button.setAttribute('aria-live', 'polite');
  return button;
}

// Calls the newest of a burst of calls, after a short pause.
export function soon(work, milliseconds) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), milliseconds);
  };
}
