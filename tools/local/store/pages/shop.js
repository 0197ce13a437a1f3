// The shop's own script: tells the SDK, if it is there, what the shopper does. Forms work without it.
"use strict";

const added = document.querySelector("form[data-add-to-cart]");
added?.addEventListener("submit", (event) => {
  event.preventDefault();
  const sku = new FormData(added).get("item");
  const { amount, currency } = added.dataset;
  window.svc?.track("add_to_cart", { sku, value: Number(amount), currency });
  const status = document.querySelector(".status");
  const link = document.createElement("a");
  link.href = `/checkout?item=${encodeURIComponent(sku)}`;
  link.id = "to-checkout";
  link.textContent = "Go to checkout";
  status.replaceChildren("Added to your cart. ", link);
});

const order = document.querySelector("form[data-order]");
order?.addEventListener("submit", () => {
  const { sku, amount, currency } = order.dataset;
  const orderId = `demo-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
  const revenue = Number(amount);
  window.svc?.track("order", { orderId, revenue, currency, items: [{ sku, quantity: 1, price: revenue }] });
});
