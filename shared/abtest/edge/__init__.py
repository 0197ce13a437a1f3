"""Edge routes as plain functions on the gateway's payload 2.0: shoppers wait here, so no framework is loaded."""
