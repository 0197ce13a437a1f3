import { SelectField } from "../../kit/choices.tsx";
import { TextField } from "../../kit/form.tsx";
import { type LandingPage, PAGE_TYPES } from "./words.ts";

export type TypedPage = Pick<
  LandingPage,
  "name" | "slug" | "page_type" | "publish_mode" | "publish_host" | "publish_path"
>;

type Set = <K extends keyof TypedPage>(name: K) => (value: TypedPage[K]) => void;

/** Name and address of a landing page. */
export function LandingFields({ value, set }: { value: TypedPage; set: Set }) {
  return (
    <>
      <TextField path="name" label="Name" required value={value.name} onChange={set("name")} />
      <TextField
        path="slug"
        label="Short name"
        required
        hint="The end of its address: small letters, digits and hyphens."
        value={value.slug}
        onChange={set("slug")}
      />
      <SelectField
        path="page_type"
        label="Kind"
        required
        value={value.page_type}
        options={PAGE_TYPES}
        onChange={(typed) => set("page_type")(typed as TypedPage["page_type"])}
      />
      <SelectField
        path="publish_mode"
        label="How it gets to visitors"
        required
        value={value.publish_mode}
        options={[
          { value: "edge", label: "We serve it at an address of your shop" },
          { value: "export", label: "As a file for your own server" },
        ]}
        onChange={(typed) => set("publish_mode")(typed === "export" ? "export" : "edge")}
      />
      {value.publish_mode === "edge" && (
        <>
          <TextField
            path="publish_host"
            label="Host"
            placeholder="shop.example"
            hint="Empty: the main domain of the shop. Or another one of Settings, Hosts."
            value={value.publish_host ?? ""}
            onChange={(typed) => set("publish_host")(typed || null)}
          />
          <TextField
            path="publish_path"
            label="Path"
            hint="Empty: the short name."
            placeholder={`/${value.slug || "summer-sale"}`}
            value={value.publish_path ?? ""}
            onChange={(typed) => set("publish_path")(typed || null)}
          />
        </>
      )}
    </>
  );
}
