"""Reading templates: functions of CloudFormation, SAM's defaults, and clear refusals."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.local.gateway.routing import Router
from tools.local.template.document import Document, TemplateError, load
from tools.local.template.functions import Route, functions
from tools.local.template.intrinsics import Resolver, parameter_values
from tools.local.template.resources import Resource, existing

Read = Callable[..., tuple[Document, Resolver, list[Resource]]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def reading(text: str, supplied: dict[str, str] | None = None) -> tuple[Document, Resolver, list[Resource]]:
        path = tmp_path / "template.yaml"
        path.write_text(textwrap.dedent(text))
        document = load(path)
        resolver = Resolver(document, parameter_values(document, supplied or {}))
        return document, resolver, existing(document, resolver, "http://127.0.0.1:1")

    return reading


@pytest.fixture
def resolver(read: Read) -> Resolver:
    return read("""
        Parameters:
          Size: {Type: Number, Default: 3}
        Conditions:
          Three: !Equals [!Ref Size, 3]
          Never: !And [!Condition Three, !Not [!Condition Three]]
          Either: !Or [!Condition Never, !Condition Three]
        Resources:
          Table: {Type: AWS::DynamoDB::Table, Properties: {TableName: !Sub "t-${Size}"}}
          Queue: {Type: AWS::SQS::Queue}
          Absent: {Type: AWS::SQS::Queue, Condition: Never}
          Site: {Type: AWS::CloudFront::Distribution}
    """)[1]


@pytest.mark.parametrize(
    ("node", "value"),
    [
        ({"Ref": "Size"}, "3"),
        ({"Ref": "Table"}, "t-3"),
        ({"Ref": "AWS::Region"}, "us-east-1"),
        ({"Ref": "Queue"}, "http://127.0.0.1:1/000000000000/abtest-local-queue"),
        ({"Fn::GetAtt": ["Queue", "Arn"]}, "arn:aws:sqs:us-east-1:000000000000:abtest-local-queue"),
        ({"Fn::GetAtt": ["Site", "DomainName"]}, "abtest-local-site.DomainName"),
        ({"Fn::Sub": "${Table}/${Queue.QueueName}/${!literal}"}, "t-3/abtest-local-queue/${literal}"),
        ({"Fn::Sub": ["${a}-${AWS::StackName}", {"a": {"Ref": "Size"}}]}, "3-abtest-local"),
        ({"Fn::Join": ["-", ["a", {"Ref": "Size"}]]}, "a-3"),
        ({"Fn::If": ["Three", "yes", "no"]}, "yes"),
        ({"Fn::If": ["Never", "yes", {"Fn::If": ["Either", 1, 2]}]}, 1),
        ({"a": {"Ref": "AWS::NoValue"}, "b": [{"Ref": "AWS::NoValue"}, 1]}, {"b": [1]}),
        ({"Fn::Select": [1, {"Fn::Split": [",", "a,b"]}]}, "b"),
        ({"Fn::Base64": "a"}, "YQ=="),
    ],
)
def test_resolve__gives_what_cloudformation_would(resolver: Resolver, node: Any, value: Any) -> None:
    assert resolver.resolve(node) == value


@pytest.mark.parametrize(
    ("node", "complaint"),
    [
        ({"Ref": "Nothing"}, "refers to Nothing"),
        ({"Fn::Cidr": ["10.0.0.0/8", 1, 1]}, "does not know Fn::Cidr"),
        ({"Fn::If": ["Perhaps", 1, 2]}, "no condition named Perhaps"),
    ],
)
def test_resolve__says_what_it_cannot(resolver: Resolver, node: Any, complaint: str) -> None:
    with pytest.raises(TemplateError, match=complaint):
        resolver.resolve(node)


def test_parameters__without_any_value_or_with_a_wrong_one_are_refused(read: Read) -> None:
    with pytest.raises(TemplateError, match="parameter A has no default"):
        read("Parameters: {A: {Type: String}}")
    with pytest.raises(TemplateError, match="may be one of"):
        read("Parameters: {A: {Type: String, AllowedValues: [x]}}", {"A": "y"})


def test_resources__whose_condition_is_false_do_not_exist(read: Read) -> None:
    _, _, resources = read("""
        Parameters: {Extra: {Type: String, Default: "false"}}
        Conditions: {IsOn: !Equals [!Ref Extra, "true"]}
        Resources:
          A: {Type: AWS::SQS::Queue, Condition: IsOn}
          B: {Type: AWS::SQS::Queue}
    """)
    assert [resource.logical_id for resource in resources] == ["B"]


def test_functions__inherit_globals(read: Read, tmp_path: Path) -> None:
    document, resolver, resources = read("""
        Globals:
          Function: {Timeout: 29, CodeUri: code/, Layers: [!Ref L], Environment: {Variables: {A: 1, B: true}}}
        Resources:
          L: {Type: AWS::Serverless::LayerVersion, Properties: {ContentUri: shared/}}
          F:
            Type: AWS::Serverless::Function
            Properties:
              Handler: room.app.handler
              Timeout: 7
              Environment: {Variables: {B: own}}
              Events:
                Asleep: {Type: ScheduleV2, Properties: {ScheduleExpression: rate(1 day), State: DISABLED}}
                Awake: {Type: Schedule, Properties: {Schedule: rate(1 day)}}
    """)
    (function,) = functions(document, resolver, resources)
    assert (function.timeout, function.memory, function.folder) == (7, 128, "room")
    assert function.environment == {"A": "1", "B": "own"}
    assert (function.code, function.layers) == (tmp_path / "code", (tmp_path / "shared",))
    assert [schedule.expression for schedule in function.schedules] == ["rate(1 day)"]


def test_function_of_an_image__runs_its_command_from_the_tree(read: Read, tmp_path: Path) -> None:
    document, resolver, resources = read("""
        Globals:
          Function: {CodeUri: code/}
        Resources:
          L: {Type: AWS::Serverless::LayerVersion, Properties: {ContentUri: shared/}}
          F:
            Type: AWS::Serverless::Function
            Properties: {PackageType: Image, ImageUri: "a/b:1", ImageConfig: {Command: [room.app.handler]}}
    """)
    (function,) = functions(document, resolver, resources)
    assert (function.is_image, function.handler, function.folder) == (True, "room.app.handler", "room")
    assert (function.code, function.layers) == (tmp_path / "code", (tmp_path / "shared",))


def test_function_of_an_image__without_a_command__is_refused(read: Read) -> None:
    with pytest.raises(TemplateError, match=r"F has no ImageConfig\.Command"):
        functions(
            *read("""
                Resources:
                  F: {Type: AWS::Serverless::Function, Properties: {PackageType: Image, ImageUri: "a/b:1"}}
            """)
        )


def test_functions__that_read_no_queue_of_the_template_are_refused(read: Read) -> None:
    with pytest.raises(TemplateError, match="which the template does not create"):
        functions(
            *read("""
                Resources:
                  F:
                    Type: AWS::Serverless::Function
                    Properties:
                      Handler: a.b
                      Events: {Q: {Type: SQS, Properties: {Queue: "arn:aws:sqs:us-east-1:1:other"}}}
            """)
        )


def test_loop__makes_a_resource_for_each_value_with_its_own_settings(read: Read) -> None:
    document, _, _ = read("""
        Transform: [AWS::LanguageExtensions, AWS::Serverless-2016-10-31]
        Mappings:
          Silence: {Night: {Seconds: 60}, Day: {Seconds: 30}}
          Other: {Night: {Night: kept}}
        Resources:
          Night: {Type: AWS::SNS::Topic}
          Fn::ForEach::Alarms:
            - Job
            - [Night, Day]
            - ${Job}Alarm:
                Type: AWS::CloudWatch::Alarm
                Properties:
                  Text: !Sub "${Job} is silent in ${AWS::Region}"
                  Plain: !Sub "${Job}"
                  Name: {Ref: !Ref Job}
                  Arn: {Fn::GetAtt: [!Sub "${Job}Topic", Arn]}
                  Period: !FindInMap [Silence, !Ref Job, Seconds]
        """)
    assert list(document.resources) == ["Night", "NightAlarm", "DayAlarm"]
    assert document.resources["DayAlarm"]["Properties"] == {
        "Text": {"Fn::Sub": "Day is silent in ${AWS::Region}"},
        "Plain": "Day",
        "Name": {"Ref": "Day"},
        "Arn": {"Fn::GetAtt": ["DayTopic", "Arn"]},
        "Period": 30,
    }


def test_template__that_is_no_yaml_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("a: [")
    with pytest.raises(TemplateError, match="not valid YAML"):
        load(tmp_path / "t.yaml")


@pytest.mark.parametrize(
    ("method", "path", "key"),
    [
        ("GET", "/pets/dog/1", "GET /pets/dog/1"),
        ("GET", "/pets/dog/2", "GET /pets/dog/{id}"),
        ("GET", "/pets/cat/1", "GET /pets/{proxy+}"),
        ("POST", "/pets/dog/1", "ANY /{proxy+}"),
        ("GET", "/", "$default"),
        ("GET", "/s/abc.js", "GET /s/{name}.js"),
    ],
)
def test_router__follows_the_documented_order(method: str, path: str, key: str) -> None:
    keys = [
        "$default",
        "ANY /{proxy+}",
        "GET /pets/{proxy+}",
        "GET /pets/dog/{id}",
        "GET /pets/dog/1",
        "GET /s/{name}.js",
    ]
    routes = [Route("Api", *(key.split(" ") if " " in key else ("ANY", key))) for key in keys]
    selected = Router((route, None) for route in routes).select(method, path)
    assert selected is not None
    assert selected[0].key == key
