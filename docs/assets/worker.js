// Search runs in a worker, which browsers refuse to pages that are opened from a folder (file://).
// There, a hidden frame does a worker's job. On a server this file does nothing.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.documentElement.appendChild(frame)
      this.inside = frame.contentWindow
      this.inside.postMessage = data => this.tell(this, data)
      this.inside.importScripts = (...urls) =>
        urls.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve())
      this.ready = this.load(url)
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.inside.document.createElement("script")
        Object.assign(script, { src: url, onload: done, onerror: failed })
        this.inside.document.documentElement.appendChild(script)
      })
    }

    postMessage(data) {
      this.ready.then(() => this.tell(this.inside, data))
    }

    tell(target, data) {
      target.dispatchEvent(new MessageEvent("message", { data }))
    }

    terminate() {
      this.inside.frameElement.remove()
    }
  }
}
