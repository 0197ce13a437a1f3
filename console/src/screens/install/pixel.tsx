import { useState } from "preact/hooks";
import { api, data } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Copied } from "../../kit/copy.tsx";
import { Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";

const PROVIDERS = [
  { value: "custom", label: "None: the page calls the pixel itself" },
  { value: "data_layer", label: "Google's data layer (purchase)" },
  { value: "digital_data", label: "W3C digital data layer" },
] as const;

type Provider = (typeof PROVIDERS)[number]["value"];

/** The pixel for pages elsewhere, such as a checkout on another domain. */
export function Pixel() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title="A checkout on another domain"
      lead="Orders that end on a domain where the tag cannot be, such as a payment provider's page, are counted by a pixel there."
    >
      {isOpen ? (
        <PixelCode />
      ) : (
        <button type="button" onClick={() => setOpen(true)}>
          Show the pixel
        </button>
      )}
    </Section>
  );
}

function PixelCode() {
  const [provider, setProvider] = useState<Provider>("custom");
  const loaded = useLoaded(
    () => data(api.GET("/settings/external-pixel", { params: { query: { provider } } })),
    [provider],
  );
  return (
    <>
      <div class="filters">
        <label>
          Orders are read from
          <select value={provider} onChange={(event) => setProvider(event.currentTarget.value as Provider)}>
            {PROVIDERS.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Shown of={loaded}>
        {(pixel) => (
          <>
            <p>
              Paste it into the <code>&lt;head&gt;</code> there. After a change of consent or external domains, paste it
              again: it has the settings of today.
            </p>
            <Copied text={pixel.snippet} label="Copy the pixel" />
            <h3>A call from the page</h3>
            <Copied text={pixel.usage.example} />
          </>
        )}
      </Shown>
    </>
  );
}
