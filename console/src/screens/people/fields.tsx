import { CheckField, ManyField, SelectField } from "../../kit/choices.tsx";
import { session, shop } from "../../session/session.ts";
import { ROLE_OPTIONS, ROLES, type Role } from "./roles.ts";

export interface Access {
  role: Role;
  shop_ids: string[] | null;
}

/** Role and shops of somebody. An owner makes owners; an admin makes all others. */
export function AccessFields({ draft, set }: { draft: Access; set: (part: Partial<Access>) => void }) {
  const isOwner = shop.value?.role === "owner";
  const organisation = shop.value?.org_id;
  const shops = (session.value?.shops ?? []).filter(({ org_id }) => org_id === organisation);
  return (
    <>
      <SelectField
        path="role"
        label="Role"
        value={draft.role}
        onChange={(role) => set({ role: role as Role })}
        options={ROLE_OPTIONS.filter(({ value }) => isOwner || value !== "owner" || draft.role === "owner")}
        hint={ROLES[draft.role]}
        required
      />
      <CheckField
        path="all_shops"
        label="All shops, also later ones"
        value={draft.shop_ids === null}
        onChange={(isAll) => set({ shop_ids: isAll ? null : shop.value ? [shop.value.id] : [] })}
      />
      {draft.shop_ids !== null && (
        <ManyField
          path="shop_ids"
          label="Shops"
          value={draft.shop_ids}
          onChange={(shop_ids) => set({ shop_ids })}
          options={shops.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
    </>
  );
}
