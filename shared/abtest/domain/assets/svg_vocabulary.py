"""Elements, attributes, properties and functions that a sanitised SVG may have. What is absent here is removed."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DRAWN = _words(
    """svg g defs symbol use switch path rect circle ellipse line polyline polygon image text tspan textPath title desc
    linearGradient radialGradient stop pattern clipPath mask marker filter style"""
)
FILTERS = _words(
    """feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
    feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode
    feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence"""
)
ANIMATIONS = frozenset(["animate", "animateTransform", "animateMotion", "set", "mpath"])
ELEMENTS = DRAWN | FILTERS | ANIMATIONS

TEXTS = frozenset(["text", "tspan", "textPath", "title", "desc"])
"""Elements whose character data is kept; elsewhere it is not rendered."""

IMAGES = frozenset(["image", "feImage"])

PRESENTATION = _words(
    """alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation color-interpolation-filters
    color-rendering direction display dominant-baseline fill fill-opacity fill-rule filter flood-color flood-opacity
    font font-family font-feature-settings font-kerning font-size font-size-adjust font-stretch font-style
    font-variant font-weight glyph-orientation-horizontal glyph-orientation-vertical image-rendering isolation kerning
    letter-spacing lighting-color line-height marker marker-end marker-mid marker-start mask mask-type mix-blend-mode
    opacity overflow paint-order pointer-events shape-rendering solid-color solid-opacity stop-color stop-opacity
    stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity
    stroke-width text-align text-anchor text-decoration text-overflow text-rendering text-transform transform
    transform-box transform-origin unicode-bidi vector-effect visibility white-space word-spacing
    writing-mode"""
)
"""Attributes that are parsed as CSS, and properties of the same names."""

PROPERTIES = PRESENTATION | _words(
    """animation animation-delay animation-direction animation-duration animation-fill-mode animation-iteration-count
    animation-name animation-play-state animation-timing-function background background-color cx cy d
    enable-background height max-height max-width offset-distance offset-path offset-rotate r rotate rx ry scale
    text-decoration-color text-decoration-line text-decoration-style translate width x y"""
)

ANIMATED = PRESENTATION | _words(
    """cx cy d dx dy r rx ry x x1 x2 y y1 y2 width height points viewBox offset pathLength startOffset fx fy
    gradientTransform patternTransform stdDeviation baseFrequency scale seed k1 k2 k3 k4 values azimuth elevation
    surfaceScale tableValues slope intercept amplitude exponent"""
)
"""Names that an animation may change: no reference, no handler, no style."""

CSS_VALUES = frozenset(["from", "to", "by", "values"])
"""Attributes of animations whose value becomes that of a presentation attribute."""

PLAIN = _words(
    """accumulate additive amplitude attributeName attributeType azimuth baseFrequency begin bias calcMode class
    clipPathUnits cx cy d diffuseConstant divisor dur dx dy edgeMode elevation end exponent filterUnits fr fx fy
    gradientTransform gradientUnits height id in in2 intercept k1 k2 k3 k4 kernelMatrix kernelUnitLength keyPoints
    keySplines keyTimes lang lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits
    maskUnits max media method min mode numOctaves offset operator order orient origin path pathLength
    patternContentUnits patternTransform patternUnits points pointsAtX pointsAtY pointsAtZ preserveAlpha
    preserveAspectRatio primitiveUnits r radius refX refY repeatCount repeatDur restart result role rotate rx ry scale
    seed side slope spacing specularConstant specularExponent spreadMethod startOffset stdDeviation stitchTiles
    surfaceScale systemLanguage tabindex tableValues targetX targetY textLength type version viewBox width x x1 x2
    xChannelSelector y y1 y2 yChannelSelector z"""
)
"""Attributes that browsers do not parse as CSS or as an address."""

FUNCTIONS = _words(
    """rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark calc min max clamp
    matrix matrix3d translate translatex translatey translatez translate3d rotate rotatex rotatey rotatez rotate3d
    scale scalex scaley scalez scale3d skew skewx skewy perspective cubic-bezier steps linear
    blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
    circle ellipse inset polygon path rect linear-gradient radial-gradient conic-gradient"""
)
"""Functions of CSS values; none takes an address. `url()` has a rule of its own, `var()` and `env()` are not here."""

PSEUDO_FUNCTIONS = _words("not is where nth-child nth-last-child nth-of-type nth-last-of-type lang")
