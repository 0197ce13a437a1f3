import { useRoute } from "preact-iso";
import { api, data } from "../api/client.ts";
import { useLoaded } from "../api/loading.ts";
import { Shown } from "../kit/state.tsx";
import { Workbench } from "./workbench.tsx";

/** The visual editor of one variation: the shop's page in the middle, what is changed next to it. */
export default function Editor() {
  const { params } = useRoute();
  const [experiment_id, variation_id] = [params.experiment_id ?? "", params.variation_id ?? ""];
  const loaded = useLoaded(async () => {
    const [experiment, variation, shop, domains] = await Promise.all([
      data(api.GET("/experiments/{experiment_id}", { params: { path: { experiment_id } } })),
      data(
        api.GET("/experiments/{experiment_id}/variations/{variation_id}", {
          params: { path: { experiment_id, variation_id } },
        }),
      ),
      data(api.GET("/shop")),
      // Not everybody may read them; pages of the shop's own domain can be edited in any case.
      data(api.GET("/settings/install-domains")).catch(() => null),
    ]);
    return { experiment, variation, shop, hosts: [shop.domain, ...(domains?.additionalDomains ?? [])] };
  }, [experiment_id, variation_id]);
  return (
    <Shown of={loaded}>
      {({ experiment, variation, shop, hosts }) => (
        <Workbench
          key={variation.id}
          experiment={experiment}
          variation={variation}
          hosts={hosts}
          address={experiment.store_url ?? (shop.origin ? `${shop.origin}/` : `https://${shop.domain}/`)}
        />
      )}
    </Shown>
  );
}
