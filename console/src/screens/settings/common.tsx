import type { ComponentChildren } from "preact";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { type Loaded, useDoing } from "../../api/loading.ts";
import { Act } from "../../kit/act.tsx";
import { Conflict, type Edit, useEdit } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { Page, Tabs } from "../../kit/page.tsx";
import { notify } from "../../kit/toast.tsx";
import { may } from "../../session/session.ts";

const TABS = [
  { path: "/settings", title: "Shop", scope: "shop:read" },
  { path: "/settings/domains", title: "Hosts", scope: "settings:read" },
  { path: "/settings/environments", title: "Environments", scope: "settings:read" },
  { path: "/settings/consent", title: "Consent", scope: "settings:read" },
  { path: "/settings/tracking", title: "Tracking", scope: "settings:read" },
  { path: "/settings/triggers", title: "Data layer", scope: "settings:read" },
  { path: "/settings/publication", title: "Publication", scope: "settings:read" },
];

interface SettingsProps {
  /** The tab's path, such as `/settings/consent`. */
  tab: string;
  lead: ComponentChildren;
  children: ComponentChildren;
}

/** One tab of the settings. */
export function Settings({ tab, lead, children }: SettingsProps) {
  const tabs = TABS.filter(({ scope }) => may(scope)).map(({ path, title }) => ({ title, address: at(path) }));
  return (
    <Page title="Settings">
      <Tabs tabs={tabs} current={at(tab)} label="Settings" />
      <p class="lead apart">{lead}</p>
      {children}
    </Page>
  );
}

/** What came of the publication that followed a change. */
export interface Outcome {
  precompile?: { status: "ok" | "warning" | "error"; summary: string };
  publication_warning?: { message: string };
}

/** Say where a change is saved and shoppers do not have it yet, and offer to publish again. */
export function Published({ of, reload }: { of: Outcome; reload: () => Promise<void> }) {
  const { precompile, publication_warning: warning } = of;
  const message = warning?.message ?? (precompile?.status === "ok" ? undefined : precompile?.summary);
  if (!message) return null;
  const publish = async () => {
    const result = await data(api.POST("/settings/publish"));
    if (result.status === "failed") throw new Error(result.precompile.summary);
    await reload();
  };
  const isPublished = precompile?.status === "warning";
  return (
    <div class="note warn" role="status">
      <p>
        {isPublished ? "Saved and published, but with something left out: " : "Saved, not yet published: "}
        {message}
      </p>
      <Act run={publish} success="Published.">
        Publish again
      </Act>
    </div>
  );
}

interface SettingFormProps<T extends object, D extends object> {
  loaded: Loaded<T>;
  read: T;
  toDraft: (read: T) => D;
  /** Send the change; resolves to what is stored now. */
  save: (edit: Edit<D>, read: T) => Promise<T>;
  /** Names of fields as the screen shows them, for a conflict of two windows. */
  names: { [K in keyof D]?: string };
  scope?: string;
  children: (edit: Edit<D>) => ComponentChildren;
}

/** A form over a setting: saves what was typed over the version that was read, and says where another was faster. */
export function SettingForm<T extends object, D extends object>(props: SettingFormProps<T, D>) {
  const { loaded, read, toDraft, save, names, scope = "settings:write", children } = props;
  const doing = useDoing();
  const edit = useEdit(toDraft(read));
  const submit = async () => {
    loaded.replace(await save(edit, read));
    notify("Saved.");
  };
  const form = (
    <Form doing={doing} onSubmit={submit} submit="Save" isDirty={edit.isDirty}>
      {children(edit)}
      <Conflict
        doing={doing}
        contested={edit.contested}
        reload={loaded.reload}
        names={names as Record<string, string>}
      />
    </Form>
  );
  if (may(scope)) {
    return (
      <>
        <Published of={read} reload={loaded.reload} />
        {form}
      </>
    );
  }
  return (
    <>
      <p class="note">You may read these settings. To change them takes the role of an admin.</p>
      <fieldset disabled>{form}</fieldset>
    </>
  );
}
