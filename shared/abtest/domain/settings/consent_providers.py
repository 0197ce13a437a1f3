"""Consent providers: for each, the script that asks it, when to ask again, and the rule in plain words.

A reader is the body of a function that the storefront calls as `read.call(state, group, again)`: it gives true, false,
or undefined while nobody has answered. `state` is an object of its own for the life of the page; `again()` has it asked
once more. Nothing a shop states becomes code: the group is an argument, a getter a list of identifiers.
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
"""Moments at which a provider that came after the snippet may be there, and at which another page or tab, where the
visitor has been meanwhile, may have changed the answer."""


class UnknownConsentProviderError(ValueError):
    """There is no such provider."""


class InvalidGetterError(ValueError):
    """The getter is no dotted path of a global."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentReader:
    """How a provider is asked. `default_group` is asked for where the shop requires none; "" asks for none.

    `events` are dispatched on the window or the document, or arrive in the data layer, when the answer may be another.
    `condition` says in plain words what must hold of `{group}`.
    """

    read: str
    events: tuple[str, ...]
    default_group: str
    condition: str

    def group(self, required: str) -> str:
        """The group that is asked for."""
        return required or self.default_group

    def show_variations_rule(self, required: str) -> str:
        """When treatments show, in plain words."""
        return (
            f"Variations are shown as soon as {self._condition(required)}, without a reload; until then, and where "
            "consent is denied or withdrawn, visitors see the original page."
        )

    def start_tracking_rule(self, required: str) -> str:
        """When counting begins, in plain words."""
        return (
            f"Nothing is stored or sent before {self._condition(required)}; when consent is withdrawn, what was stored "
            "is deleted and what waits to be sent is dropped."
        )

    def _condition(self, required: str) -> str:
        group = self.group(required)
        return self.condition.replace("{group}", f"“{group}”") if group else self.condition.removesuffix(" to {group}")


def reader_of(provider: str, getter: str = "") -> ConsentReader:
    """The reader of a provider; `getter` counts for `custom` only.

    Raises UnknownConsentProviderError, InvalidGetterError.
    """
    if provider == CUSTOM:
        return _custom(getter)
    if provider not in _PROVIDERS:
        raise UnknownConsentProviderError(f"there is no consent provider {provider!r}")
    found = _PROVIDERS[provider]
    return replace(found, read=_GIVEN + found.read, events=(*found.events, *_PAGE))


def getter_parts(getter: str) -> tuple[str, ...]:
    """The identifiers of a getter such as `shop.consent.allows`; `window.` in front may be left out.

    Raises InvalidGetterError.
    """
    parts = tuple(getter.removeprefix("window.").split("."))
    if len(getter) > MAX_GETTER_CHARS or len(parts) > MAX_GETTER_PARTS or _GETTER.fullmatch(".".join(parts)) is None:
        raise InvalidGetterError("the dotted path of a global is expected, such as shopConsent.marketing")
    if _UNREACHABLE & set(parts):
        raise InvalidGetterError("a path leads through no prototype")
    return parts


def _custom(getter: str) -> ConsentReader:
    path = ".".join(getter_parts(getter))
    return ConsentReader(
        read=f'{_GIVEN}var path="{path}".split(".");{_CUSTOM_READ}',
        events=_PAGE,
        default_group="",
        condition=f"`{path}` says yes to {{group}}",
    )


# A value that waits for a promise has not been answered. Of texts only those that plainly mean yes are a yes.
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

# Its third version answers by promises, its second at once; a group is a category, or a service by id or name.
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
    var said=answer(details.services,details.consent.required===true&&details.consent.type!="EXPLICIT");
    if(said!==state.said){state.said=said;again()}
  },function(){});
  return state.said;
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

# The stub of the framework queues what is asked before the provider is there. A group names purposes: `1` or `1,8`.
_TCF = r"""
var api=window.__tcfapi,data=state.data,purposes=group.split(","),i;
if(typeof api!="function"){
  if(!state.timer)state.timer=setTimeout(function(){state.timer=0;again()},500);
  return;
}
if(!state.listens){
  state.listens=true;
  api("addEventListener",2,function(said,isRight){
    if(!isRight||said.eventStatus!="tcloaded"&&said.eventStatus!="useractioncomplete"&&said.gdprApplies!==false)return;
    state.data=said;
    again();
  });
  data=state.data;
}
if(!data)return;
if(data.gdprApplies===false)return true;
for(i=0;i<purposes.length;i++)if(!(data.purpose.consents[purposes[i].trim()]===true))return false;
return true;"""

# `gtag` pushes `arguments`. An update is an answer, a default only where it grants and holds for every region.
_CONSENT_MODE = r"""
var layer=window.dataLayer=window.dataLayer||[];
function see(items){
  for(var i=0;i<items.length;i++){
    var item=items[i],said=item&&item[0]==="consent"&&item[2]&&item[2][group];
    if(said&&item[1]==="update")state.said=said==="granted";
    if(said&&item[1]==="default"){
      if(said!=="granted")state.denied=true;
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
return state.said!==void 0?state.said:state.granted&&!state.denied?true:void 0;"""

_SHOPIFY = r"""
var shop=window.Shopify,api=shop&&shop.customerPrivacy,names={analytics:"analyticsProcessingAllowed",
marketing:"marketingAllowed",preferences:"preferencesProcessingAllowed",sale_of_data:"saleOfDataAllowed"},name,said;
if(!api||typeof api.currentVisitorConsent!="function"){
  if(shop&&shop.loadFeatures&&!state.waits){
    state.waits=true;
    shop.loadFeatures([{name:"consent-tracking-api",version:"0.1"}],function(error){if(!error)again()});
  }
  return;
}
name=Object.prototype.hasOwnProperty.call(names,group)?names[group]:"";
if(name&&api[name]()===true)return true;
said=api.currentVisitorConsent()[group];
return said==="no"?false:void 0;"""

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
        condition="Google Consent Mode says granted for {group}",
    ),
    "provider_g": ConsentReader(
        read=_SHOPIFY,
        events=("visitorConsentCollected", "shopifyCustomerPrivacyApiLoaded", "trackingConsentAccepted"),
        default_group="analytics",
        condition="Shopify's customer privacy settings allow processing for {group}",
    ),
}
PROVIDERS = (CUSTOM, *_PROVIDERS)
"""Their names, as in the settings."""
