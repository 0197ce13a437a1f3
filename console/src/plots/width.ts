import { useEffect, useRef, useState } from "preact/hooks";

const ASSUMED = 720;
const LEAST = 240;

/** Return the width of an element in pixels, so that the text of a drawing keeps its size at any width. */
export function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(ASSUMED);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const take = () => {
      // Paper keeps the drawing of the screen; its view box scales it.
      if (element.clientWidth && !matchMedia("print").matches) setWidth(Math.max(LEAST, element.clientWidth));
    };
    const observer = new ResizeObserver(take);
    take();
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}
