// Signals over React. Without the transform of the compiler each component that reads one would call a hook: a few bytes.
export { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals-react";
