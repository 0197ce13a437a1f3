"""A bare management app: FastAPI, Mangum, Powertools' logger, a DynamoDB client, and BARE_ROUTES routes.

Its routes alternate between a read and a write, and all of them share one small request and one small response model:
the least that a team would write without this project.
"""

import os

import boto3
from aws_lambda_powertools import Logger
from fastapi import FastAPI
from mangum import Mangum
from pydantic import BaseModel


class ThingInput(BaseModel):
    """A request body."""

    name: str
    size: int = 0


class Thing(BaseModel):
    """A response."""

    id: str
    name: str
    updated_at: str


logger = Logger(service="bare")
client = boto3.client("dynamodb", region_name="us-east-1")
app = FastAPI(openapi_url=None)


async def read(thing_id: str) -> Thing:
    """A thing."""
    return Thing(id=thing_id, name="", updated_at="")


async def write(thing_id: str, body: ThingInput) -> Thing:
    """The thing with its new fields."""
    return Thing(id=thing_id, name=body.name, updated_at="")


for number in range(int(os.environ["BARE_ROUTES"])):
    path = f"/api/v1/things{number}/{{thing_id}}"
    if number % 2:
        app.post(path, status_code=201)(write)
    else:
        app.get(path)(read)

handler = Mangum(app, lifespan="off")
