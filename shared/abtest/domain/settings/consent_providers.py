"""Consent providers: for each the script that reads it, the moments to read it again, and the rule in plain words.

A reader is the body of a function that the storefront calls as `read.call(state, group, again)`. It gives true, false,
or undefined while the visitor has not answered. `state` is an object of its own for the life of the page; `again()`
schedules another call. No setting of a shop becomes code: the group is an argument, a getter a list of identifiers.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

CUSTOM = "custom"
MAX_GETTER_CHARS = 200
MAX_GETTER_PARTS = 10
_GETTER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z_$][A-Za-z0-9_$]*)*", re.ASCII)
_UNREACHABLE = frozenset({"__proto__", "constructor", "prototype"})
_GIVEN = "var state=this,group=arguments[0],again=arguments[1];"
_PAGE = ("DOMContentLoaded", "load", "pageshow", "visibilitychange")
"""Events after which a provider that loads later than the snippet may be present, and after which the answer may have
changed on another page or tab."""


class UnknownConsentProviderError(ValueError):
    """There is no such provider."""


class InvalidGetterError(ValueError):
    """The getter is not a dotted path of a global."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentReader:
    """Reader of one provider. `default_group` is read where the shop requires none; "" reads consent as a whole.

    `events` are dispatched on the window or document, or arrive in the data layer, when the answer may have changed.
    `condition` is the condition on `{group}` in plain words.
    """

    read: str
    events: tuple[str, ...]
    default_group: str
    condition: str

    def group(self, required: str) -> str:
        """Return the group whose consent is read."""
        return required or self.default_group

    def show_variations_rule(self, required: str) -> str:
        """Return in plain words when variations are shown."""
        return (
            f"Variations are shown as soon as {self._condition(required)}, without a reload; until then, and where "
            "consent is denied or withdrawn, visitors see the original page."
        )

    def start_tracking_rule(self, required: str) -> str:
        """Return in plain words when counting begins."""
        return (
            f"Nothing is stored or sent before {self._condition(required)}; when consent is withdrawn, stored data is "
            "deleted and events that are not sent yet are dropped."
        )

    def _condition(self, required: str) -> str:
        group = self.group(required)
        return self.condition.replace("{group}", f"“{group}”") if group else self.condition.removesuffix(" to {group}")


def reader_of(provider: str, getter: str = "") -> ConsentReader:
    """Return the reader of a provider; only `custom` uses `getter`.

    Raises UnknownConsentProviderError, InvalidGetterError.
    """
    if provider == CUSTOM:
        path = ".".join(getter_parts(getter))
        return ConsentReader(
            read=f'{_GIVEN}var path="{path}".split(".");{_CUSTOM_READ}',
            events=_PAGE,
            default_group="",
            condition=f"`{path}` returns yes to {{group}}",
        )
    reader = _PROVIDERS.get(provider)
    if reader is None:
        raise UnknownConsentProviderError(f"there is no consent provider {provider!r}")
    return replace(reader, read=_GIVEN + reader.read, events=(*reader.events, *_PAGE))


def getter_parts(getter: str) -> tuple[str, ...]:
    """Return the identifiers of a getter such as `shop.consent.allows`; a leading `window.` is optional.

    Raises InvalidGetterError.
    """
    parts = tuple(getter.removeprefix("window.").split("."))
    if len(getter) > MAX_GETTER_CHARS or len(parts) > MAX_GETTER_PARTS or _GETTER.fullmatch(".".join(parts)) is None:
        raise InvalidGetterError("must be the dotted path of a global, such as shopConsent.marketing")
    if _UNREACHABLE & set(parts):
        raise InvalidGetterError("must not contain __proto__, constructor or prototype")
    return parts


# A pending promise is not an answer yet. Of texts only those that plainly mean yes are a yes.
_CUSTOM_READ = r"""
var owner=null,value=window,list,i;
function yes(it){return typeof it=="string"?/^(1|true|yes|on|allow(ed)?|accept(ed)?|grant(ed)?)$/i.test(it):!!it}
if(!state.timer)state.timer=setTimeout(function(){state.timer=0;again()},1000);
for(i=0;i<path.length&&value!=null;i++){owner=value;value=value[path[i]]}
if(typeof value=="function")value=value.call(owner,group);
if(value==null||typeof value.then=="function")return;
if(!group||typeof value=="boolean"||typeof value=="number")return yes(value);
list=typeof value=="string"?value.split(/[\s,;|]+/):value;
if(typeof list.length=="number"){for(i=0;i<list.length;i++)if(list[i]===group)return true;return false}
return Object.prototype.hasOwnProperty.call(list,group)&&yes(list[group]);"""

_ONETRUST = r"""
var groups=window.OnetrustActiveGroups||window.OptanonActiveGroups,api=window.OneTrust||window.Optanon;
if(groups&&(","+groups+",").indexOf(","+group+",")>=0)return true;
return api&&typeof api.IsAlertBoxClosed=="function"&&api.IsAlertBoxClosed()?false:void 0;"""

_COOKIEBOT = r"""
var api=window.Cookiebot,given=api&&api.consent;
return given&&given[group]===true?true:given&&api.hasResponse?false:void 0;"""

# Version 3 returns promises, version 2 values; a group is a category, or a service by id or name.
_USERCENTRICS = r"""
var next=window.__ucCmp||window._ucCmp,api=window.UC_UI,services={},i;
function answer(services,isOpen){
  var found=false,id,one;
  for(id in services){
    one=services[id];
    if(id!==group&&one.id!==group&&one.name!==group&&one.category!==group&&one.categorySlug!==group)continue;
    found=true;
    if(!(one.consent&&(one.consent.given===true||one.consent.status===true)))return isOpen?void 0:false;
  }
  return found?true:isOpen?void 0:false;
}
if(next&&typeof next.getConsentDetails=="function"){
  next.getConsentDetails().then(function(details){
    var reply=answer(details.services,details.consent.required===true&&details.consent.type!="EXPLICIT");
    if(reply!==state.reply){state.reply=reply;again()}
  },function(){});
  return state.reply;
}
if(!api||!api.isInitialized())return;
var base=api.getServicesBaseInfo();
for(i=0;i<base.length;i++)services["#"+i]=base[i];
return answer(services,api.isConsentRequired());"""

_DIDOMI = r"""
var api=window.Didomi,status,one,open;
if(!api||!api.isConsentRequired){
  if(!state.waits){state.waits=true;(window.didomiOnReady=window.didomiOnReady||[]).push(function(){again()})}
  return;
}
if(!state.listens&&api.on){state.listens=true;api.on("consent.changed",function(){again()})}
if(!api.isConsentRequired())return true;
if(!api.getCurrentUserStatus)return api.getUserConsentStatusForPurpose(group);
status=api.getCurrentUserStatus();
one=status.purposes&&status.purposes[group]||status.vendors&&status.vendors[group];
if(one&&one.enabled===true)return true;
open=api.shouldUserStatusBeCollected||api.shouldConsentBeCollected||api.isUserConsentStatusPartial;
return open&&open.call(api)?void 0:false;"""

# The stub of the framework queues requests until the provider is present. A group names purposes: `1` or `1,8`.
_TCF = r"""
var api=window.__tcfapi,data=state.data,purposes=group.split(","),i;
if(typeof api!="function"){
  if(!state.timer)state.timer=setTimeout(function(){state.timer=0;again()},500);
  return;
}
if(!state.listens){
  state.listens=true;
  api("addEventListener",2,function(reply,isRight){
    if(!isRight||reply.eventStatus!="tcloaded"&&reply.eventStatus!="useractioncomplete"&&reply.gdprApplies!==false)return;
    state.data=reply;
    again();
  });
  data=state.data;
}
if(!data)return;
if(data.gdprApplies===false)return true;
for(i=0;i<purposes.length;i++)if(!(data.purpose.consents[purposes[i].trim()]===true))return false;
return true;"""

# `gtag` pushes `arguments`. An update is an answer; a default is one only where it grants, for every region.
_CONSENT_MODE = r"""
var layer=window.dataLayer=window.dataLayer||[];
function see(items){
  for(var i=0;i<items.length;i++){
    var item=items[i],reply=item&&item[0]==="consent"&&item[2]&&item[2][group];
    if(reply&&item[1]==="update")state.reply=reply==="granted";
    if(reply&&item[1]==="default"){
      if(reply!=="granted")state.denied=true;
      else if(!item[2].region)state.granted=true;
    }
  }
}
if(layer!==state.layer){
  state.layer=layer;
  see(layer);
  var push=layer.push;
  layer.push=function(){var result=push.apply(this,arguments);see(arguments);again();return result};
}
return state.reply!==void 0?state.reply:state.granted&&!state.denied?true:void 0;"""

_SHOPIFY = r"""
var shop=window.Shopify,api=shop&&shop.customerPrivacy,names={analytics:"analyticsProcessingAllowed",
marketing:"marketingAllowed",preferences:"preferencesProcessingAllowed",sale_of_data:"saleOfDataAllowed"},name,reply;
if(!api||typeof api.currentVisitorConsent!="function"){
  if(shop&&shop.loadFeatures&&!state.waits){
    state.waits=true;
    shop.loadFeatures([{name:"consent-tracking-api",version:"0.1"}],function(error){if(!error)again()});
  }
  return;
}
name=Object.prototype.hasOwnProperty.call(names,group)?names[group]:"";
if(name&&api[name]()===true)return true;
reply=api.currentVisitorConsent()[group];
return reply==="no"?false:void 0;"""

_PROVIDERS: Mapping[str, ConsentReader] = {
    "provider_a": ConsentReader(
        read=_ONETRUST,
        events=("OneTrustGroupsUpdated", "OTConsentApplied"),
        default_group="C0002",
        condition="OneTrust reports the group {group} as active",
    ),
    "provider_b": ConsentReader(
        read=_COOKIEBOT,
        events=("CookiebotOnConsentReady", "CookiebotOnAccept", "CookiebotOnDecline"),
        default_group="statistics",
        condition="Cookiebot reports consent for {group}",
    ),
    "provider_c": ConsentReader(
        read=_USERCENTRICS,
        events=("UC_CONSENT", "UC_UI_INITIALIZED", "UC_UI_CMP_EVENT", "consent_status"),
        default_group="marketing",
        condition="Usercentrics reports consent for {group}",
    ),
    "provider_d": ConsentReader(
        read=_DIDOMI,
        events=("didomi-ready", "didomi-consent"),
        default_group="cookies",
        condition="Didomi reports consent for {group}",
    ),
    "provider_e": ConsentReader(
        read=_TCF,
        events=(),
        default_group="1",
        condition="the IAB TCF signal reports consent to the purposes {group}",
    ),
    "provider_f": ConsentReader(
        read=_CONSENT_MODE,
        events=(),
        default_group="analytics_storage",
        condition="Google Consent Mode reports granted for {group}",
    ),
    "provider_g": ConsentReader(
        read=_SHOPIFY,
        events=("visitorConsentCollected", "shopifyCustomerPrivacyApiLoaded", "trackingConsentAccepted"),
        default_group="analytics",
        condition="Shopify's customer privacy settings allow processing for {group}",
    ),
}
PROVIDERS = (CUSTOM, *_PROVIDERS)
"""Names of the providers in the settings."""
