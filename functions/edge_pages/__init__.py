"""Install snippet of a shop: `GET /s/{shop_id}.js`."""
