/** What was asked or loaded will not do; the message is one sentence that says why. */
export class NardyError extends Error {
  constructor(message) {
    super(message);
    this.name = "NardyError";
  }
}
