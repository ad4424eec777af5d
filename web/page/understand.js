// Plays the pictures of pictures.js: one at a time, with step, play, and words of the reader's own.
import { find, make, show } from './html.js';
import { pictures } from './pictures.js';

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const milliseconds = 900;

class Player {
  constructor(tool, picture) {
    Object.assign(this, { tool, picture, own: [], at: 0, data: null, timer: null });
    this.stage = make('div', { class: 'stage' });
    this.said = make('p', { class: 'said', 'aria-live': 'polite' });
    this.count = make('span', { class: 'count' });
    const button = (label, action, attributes = {}) => make('button', { type: 'button', onclick: action, ...attributes }, label);
    this.back = button('Back', () => this.go(this.at - 1));
    this.step = button('Step', () => this.go(this.at + 1), { class: 'primary' });
    this.play = button('Play', () => this.toggle());
    this.again = button('Restart', () => this.go(0));
    this.place = make('input', { type: 'range', min: 0, value: 0, 'aria-label': 'Step of the picture', oninput: (event) => this.go(Number(event.target.value)) });
    this.word = make('input', { type: 'text', id: `word-${picture.id}`, maxlength: 40, autocomplete: 'off', spellcheck: 'false', placeholder: 'a word of yours' });
    const form = make('form', { class: 'row', onsubmit: (event) => { event.preventDefault(); this.add(''); } },
      make('label', { for: `word-${picture.id}`, class: 'unseen' }, 'A word of yours'), this.word,
      button('Insert', () => this.add('')), picture.id === 'growth' ? null : button('Ask', () => this.add('?')));
    this.element = make('div', { class: 'picture' },
      make('div', { class: 'show' }, this.stage, this.said,
        make('div', { class: 'row controls' }, this.back, this.step, this.play, this.again, this.count), this.place, form),
      make('div', { class: 'about' }, make('h3', {}, picture.title), picture.about.map((text) => make('p', {}, text)), make('p', { class: 'paper' }, picture.paper)));
  }

  async load() {
    this.data = await this.tool.ask('picture', '--', this.picture.id, ...this.picture.words, ...this.own);
    this.place.max = this.data.steps.length - 1;
  }

  async open() {
    if (!this.data) await this.load();
    this.go(this.at);
  }

  // A word is inserted at the end, and the picture goes to its first step. A filter that grows has its words from the beginning. Words that
  // come while the picture is made wait for it.
  add(sign) {
    const word = this.word.value.trim();
    if (word === '') return this.word.focus();
    this.stop();
    this.word.value = '';
    this.adding = (this.adding ?? Promise.resolve()).then(async () => {
      const before = this.data.steps.length;
      this.own.push(sign + word);
      await this.load();
      this.go(this.picture.id === 'growth' ? this.at : before);
    });
  }

  go(to) {
    const { steps } = this.data;
    this.at = Math.min(steps.length - 1, Math.max(0, to));
    const [step, before] = [steps[this.at], steps[this.at - 1]];
    show(this.stage, this.picture.draw(this.data, step, before));
    this.said.textContent = this.picture.say(this.data, step, before);
    this.count.textContent = `${this.at + 1} / ${steps.length}`;
    this.place.value = this.at;
    this.place.setAttribute('aria-valuetext', `step ${this.at + 1} of ${steps.length}`);
    this.back.disabled = this.at === 0;
    this.step.disabled = this.at + 1 === steps.length;
    if (this.step.disabled) this.stop();
  }

  toggle() {
    if (this.timer) return this.stop();
    if (this.at + 1 === this.data.steps.length) this.go(0);
    this.play.textContent = 'Pause';
    this.timer = setInterval(() => this.go(this.at + 1), calm.matches ? 2 * milliseconds : milliseconds);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = 'Play';
  }
}

export function startUnderstand(tool) {
  const players = pictures.map((picture) => new Player(tool, picture));
  let open = null;
  const choose = async (player) => {
    open?.stop();
    open = player;
    tabs.forEach((tab, i) => {
      const isOpen = players[i] === player;
      tab.setAttribute('aria-selected', String(isOpen));
      tab.tabIndex = isOpen ? 0 : -1;
    });
    find('#picture').setAttribute('aria-labelledby', `tab-${player.picture.id}`);
    show(find('#picture'), player.element);
    await player.open();
  };
  const tabs = players.map((player, i) => make('button', {
    type: 'button', role: 'tab', id: `tab-${player.picture.id}`, 'aria-controls': 'picture', class: 'tab', onclick: () => choose(player),
    onkeydown: (event) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: players.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = tabs[(to + tabs.length) % tabs.length];
      next.focus();
      next.click();
    },
  }, player.picture.title));
  show(find('#picture-tabs'), tabs);
  return choose(players[0]);
}
