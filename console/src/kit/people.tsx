import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { shopId } from "../api/client.ts";
import { identity, session } from "../session/session.ts";

interface Member {
  user_id: string;
  name: string | null;
  email: string | null;
}

const known = signal<{ shop: string; of: ReadonlyMap<string, string> }>({ shop: "", of: new Map() });
const NOBODY: ReadonlyMap<string, string> = new Map();
const names = computed(() => (known.value.shop === shopId.value ? known.value.of : NOBODY));

/** The people of the shop by id; empty where they may not be read. */
export function usePeople(): ReadonlyMap<string, string> {
  useEffect(() => void read(), [shopId.value]);
  return names.value;
}

/** A person by name; by the first part of the id where the name cannot be read. */
export function Person({ id }: { id: string | null | undefined }) {
  const people = usePeople();
  if (!id) return <>–</>;
  if (id === session.value?.user.id) return <>You</>;
  return <span title={id}>{people.get(id) ?? id.slice(0, 8)}</span>;
}

/** Read the people of the shop once. A key of the API knows none. */
async function read(): Promise<void> {
  const shop = shopId.value;
  if (known.value.shop === shop || session.value?.level === "key") return;
  known.value = { shop, of: NOBODY };
  const answer = await identity<{ data: Member[] }>("GET", "/members").catch(() => null);
  if (!answer || !Array.isArray(answer.data) || known.value.shop !== shop) return;
  const named = answer.data.flatMap(({ user_id, name, email }): [string, string][] => {
    const words = name ?? email;
    return words ? [[user_id, words]] : [];
  });
  known.value = { shop, of: new Map(named) };
}
