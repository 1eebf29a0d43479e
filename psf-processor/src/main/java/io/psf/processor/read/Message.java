package io.psf.processor.read;

import java.util.Locale;

/**
 * The problems that the processor reports. Each has a stable id. Its text names the defect, the place, the expectation
 * and the fix. The comment of each constant lists the arguments of its {@link String#format} in order;
 * "suggestion" is a sentence that begins "Did you mean".
 */
public enum Message {
    /** The type, its kind, the type again. */
    NOT_INTERFACE("PsfNotInterface", "%s is a %s (expected: an interface). Declare it as \"interface %s\"."),
    /** The type. */
    NOT_VISIBLE(
            "PsfNotVisible",
            "%s is private or local, and generated code cannot see it (expected: at least package-private)."
                    + " Move it, or remove \"private\"."),
    /** The type. */
    GENERIC("PsfGeneric", "%s has type parameters (expected: none). Use concrete types, one function for each."),
    /** The name; the suggestion. */
    NAME("PsfName", "name \"%s\" (expected: dotted lower case of 1 to 200 characters, for example \"acme.axpy\").%s"),
    /** The name, the other function. */
    NAME_TAKEN(
            "PsfNameTaken",
            "name \"%s\" is the name of %s, or has the same number on the wire (expected: a unique name)."
                    + " Rename one of them."),
    /** The function, where it runs. */
    ORDERED(
            "PsfOrdered",
            "ordered on %s, which runs at %s (expected: at = SHARD, since calls on nodes have no order). Remove it."),
    /** The function, the member found instead. */
    REQUEST(
            "PsfRequest",
            "%s has no record Request%s (expected: a nested record). Write \"record Request(..) {}\" in it."),
    /** The function, the member found instead. */
    RESPONSE(
            "PsfResponse",
            "%s has no record Response%s (expected: a nested record)."
                    + " Write \"record Response(..) {}\" in it; it may be empty."),
    /** The function, the member found instead, the signature. */
    HANDLE_MISSING("PsfHandleMissing", "%s has no method handle%s (expected: %s). Write it."),
    /** The method, the function, the signature. */
    HANDLE_EXTRA(
            "PsfHandleExtra",
            "method %s of %s is abstract too (expected: %s, and no other abstract method)."
                    + " Give it a body and another name, or remove it."),
    /** The defect, the signature. */
    HANDLE_SIGNATURE(
            "PsfHandleSignature", "handle: %s (expected: %s, or one that returns a CompletionStage<Response>)."),
    /** The defect. */
    MERGE_SIGNATURE(
            "PsfMergeSignature",
            "merge: %s (expected: static Response merge(List<Response> slices), or merge(Request request,"
                    + " List<Response> slices)). Change it, or rename the method."),
    /** The defect. */
    FINISH_SIGNATURE(
            "PsfFinishSignature",
            "finish: %s (expected: static Response finish(Request request, Response merged))."
                    + " Change it, or rename the method."),
    /** The method, the function, the method that was found before. */
    MERGE_TWICE(
            "PsfMergeTwice",
            "method %s of %s conflicts with %s (expected: one of merge(List<Response>), merge(Request, List<Response>)"
                    + " and finish(Request, Response)). Remove one of them."),
    /** The function, the method. */
    MERGE_PLACE(
            "PsfMergePlace",
            "%s runs on one node, whose answer is the only answer (expected: no %s). Remove the method."),
    /** The method, the type that it was found in, the function, the expected signature. */
    MISPLACED("PsfMisplaced", "%s in %s (expected: in %s, beside Request and Response: %s). Move it there."),
    /** The annotation, the component. */
    MERGE_AND_LAYOUT(
            "PsfMergeAndLayout",
            "@%s on component %s, while the interface has its own merge method (expected: one of the two)."
                    + " Remove the annotation; or write \"static Response finish(Request request, Response merged)\""
                    + " instead of merge, which takes the response that the layouts have merged."),
    /** The component's path, its type, the expectation, a hint. */
    TYPE("PsfType", "component %s: %s cannot be in a tuple (expected: %s). %s"),
    /** The component, its type, the expectation, a hint. */
    NULLABLE("PsfNullable", "@Nullable on component %s of type %s (expected: %s). %s"),
    /** The annotation, the component, its type, the expectation, a hint. */
    LAYOUT_TYPE("PsfLayoutType", "@%s on component %s of type %s (expected: %s). %s"),
    /** The component, the annotations. */
    LAYOUTS_SEVERAL("PsfLayoutsSeveral", "component %s has %s (expected: one of them). Remove all but one."),
    /** The annotation, the component, the place, the expectation, a hint. */
    LAYOUT_PLACE("PsfLayoutPlace", "@%s on component %s of a function that runs at %s (expected: %s). %s"),
    /** The value as written, the component. */
    KEYS_IN_RESPONSE(
            "PsfKeysInResponse",
            "%s on component %s of a response (expected: @ByKey alone, since nothing is sent by these keys)."
                    + " Remove it."),
    /** The value, the component, the request, the expectation; the suggestion. */
    KEYS_OF("PsfKeysOf", "of = \"%s\" on component %s names no tensor of %s (expected: %s).%s"),
    /** The value, the component, the component's type, the expectation; a hint. */
    ELEMENT_KEY("PsfElementKey", "@ByKey(\"%s\") on component %s of type %s names no key (expected: %s).%s"),
    /** The defect, the component, the expectation, a hint. */
    LIST_BY_KEY("PsfListByKey", "%s on component %s, a list by key (expected: %s). %s"),
    /** The component. */
    REDUCE_IN_REQUEST(
            "PsfReduceInRequest",
            "@Reduce on component %s of a request (expected: @Reduce in the response alone)."
                    + " Remove it: a component without a layout is sent to every slice."),
    /** The value, the request, the expectation; the suggestion. */
    ALONG_UNKNOWN("PsfAlongUnknown", "@Along(\"%s\") names no component of %s (expected: %s).%s"),
    /** The value, the request, the expectation; the suggestion. */
    ALONG_NOT_KEYS(
            "PsfAlongNotKeys",
            "@Along(\"%s\") names a component of %s that has no @ByKey (expected: %s). Put @ByKey on it.%s"),
    /** The value, the component, the expectation; the suggestion. */
    RAGGED_COUNTS(
            "PsfRaggedCounts",
            "@Ragged(\"%s\") on component %s names no row lengths (expected: %s). Put @Along on an IntArray beside it.%s"),
    /** The component, the keys, the reduction. */
    RAGGED_FOLDED(
            "PsfRaggedFolded",
            "@Ragged on component %s along %s, whose duplicates are folded with %s (expected: combine = NONE)."
                    + " Rows of different lengths cannot be folded."),
    /** The reduction, the component. */
    COMBINE(
            "PsfCombine",
            "combine = %s on component %s (expected: NONE, SUM, MIN, MAX or LAST, which fold the rows along the keys)."),
    /** The surplus annotation or key, the component. */
    OWNER(
            "PsfOwner",
            "%s on component %s, a key whose owner answers (expected: one @ByKey long in the request, and nothing else"
                    + " on it). Remove it."),
    /** The reduction, the component, its type, the expectation, a hint. */
    REDUCTION("PsfReduction", "@Reduce(%s) on component %s of type %s (expected: %s).%s"),
    /** The width, the component. */
    WIDTH("PsfWidth", "width = %s on component %s (expected: >= 1, or 0 for the tensor's width)."),
    /** The defect, a hint. */
    SINCE("PsfSince", "%s (expected: components of later versions last, in ascending order from @Since(2) on). %s"),
    /** The defect, the version, the file, the next version. */
    SCHEMA_BROKEN(
            "PsfSchemaBroken",
            "%s in version %s, which is committed in %s (expected: as peers of that version know it)."
                    + " Restore it, and append additions with @Since(%s);"
                    + " -Apsf.schemas.update=true drops support for those peers."),
    /** The version, the function, the file. */
    SCHEMA_GROWN(
            "PsfSchemaGrown",
            "version %s of %s is not in %s (expected: every version committed)."
                    + " Compile with -Apsf.schemas.update=true, and commit the file."),
    /** The function, its source, the file. */
    SCHEMA_GONE(
            "PsfSchemaGone",
            "function %s is not declared any more, in %s, but %s is committed (expected: every function whose schema is"
                    + " committed). Restore its name, or list the old name in \"formerly\"; or delete the file, which"
                    + " drops support for its peers."),
    /** The annotation, the annotated element. */
    LAYOUT_NESTED(
            "PsfLayoutNested",
            "@%s on %s (expected: layouts on the components of the request and the response alone). Remove it."),
    /** The annotated element, the other defect. */
    UNKNOWN("PsfUnknown", "@Unknown on %s%s (expected: one constant of an enum). Remove it."),
    /** The former name, its defect. */
    FORMERLY("PsfFormerly", "formerly = \"%s\", %s (expected: each name that the function had before, once)."),
    /** The component, "slices" or "servers", the choices. */
    RESPONSE_LAYOUT(
            "PsfResponseLayout",
            "component %s of the response does not define how the answers of several %s are merged (expected: %s)."
                    + " Choose one, or write \"static Response merge(List<Response> slices)\"."),
    /** The function. */
    TARGET(
            "PsfTarget",
            "%s runs on shards, but its request names no tensor (expected: a component of type TensorId)."
                    + " Add one, or declare at = SERVER or SCHEDULER."),
    /** The class, its kind. */
    HANDLER_KIND(
            "PsfHandlerKind",
            "@PsHandler on %s, which is %s (expected: a class that can be instantiated without an outer object)."),
    /** The class. */
    HANDLER_NOT_PUBLIC("PsfHandlerNotPublic", "@PsHandler class %s is not public (expected: public). Make it public."),
    /** The class. */
    HANDLER_CONSTRUCTOR(
            "PsfHandlerConstructor",
            "@PsHandler class %s has no public constructor without parameters and checked exceptions"
                    + " (expected: one, since servers instantiate it)."),
    /** The class, a hint. */
    HANDLER_OF_NOTHING(
            "PsfHandlerOfNothing",
            "@PsHandler class %s implements no function (expected: one interface with @PsFunction).%s"),
    /** The function, the class, the defect. */
    HANDLER_FUNCTION(
            "PsfHandlerFunction",
            "function = %s on @PsHandler class %s: %s (expected: a function at = SHARD, and a class that implements no"
                    + " function). Remove it, or name another."),
    /** The class, the functions. */
    HANDLER_OF_SEVERAL(
            "PsfHandlerOfSeveral",
            "@PsHandler class %s implements %s (expected: one function). Write a handler for each."),
    /** The class, another class, the function, the preference. */
    HANDLER_TWICE(
            "PsfHandlerTwice",
            "@PsHandler classes %s and %s both handle %s with preference %s (expected: one that is always available)."
                    + " Give one of them another preference, or let it implement Available."),
    /** The component, its type, the expected type. */
    WIRE_TYPE("PsfWireType", "@Wire on %s: %s (expected: %s). Other arrays travel as they are."),
    /** The component, the formats. */
    WIRE_SEVERAL("PsfWireSeveral", "@Wire on %s: %s (expected: one format, or none for the tensor's)."),
    /** The component, the place. */
    WIRE_PLACE(
            "PsfWirePlace",
            "@Wire on %s of a function at %s: no format (expected: one, such as @Wire(FloatType.FLOAT16), since only a"
                    + " tensor has a format of its own)."),
    /** The annotation, the class, its kind. */
    NAMED_KIND(
            "PsfNamedKind",
            "%s on %s, which is %s (expected: a class that can be instantiated without an outer object)."),
    /** The annotation, the class, the types. */
    NAMED_TYPE("PsfNamedType", "%s class %s (expected: one that implements %s)."),
    /** The annotation, the class. */
    NAMED_CONSTRUCTOR(
            "PsfNamedConstructor",
            "%s class %s (expected: a public class with one public constructor, or a public record, without checked"
                    + " exceptions). Annotate the constructor that nodes call, and make it public."),
    /** The parameter, the class, its type. */
    NAMED_PARAMETER(
            "PsfNamedParameter",
            "parameter %s of %s: %s (expected: float, double, int, long, boolean or String, since a spec names it)."
                    + " Annotate another constructor.");

    private final String id;
    private final String format;

    Message(String id, String format) {
        this.id = id;
        this.format = format;
    }

    /** Returns the id, which is printed in brackets before the text. */
    public String id() {
        return id;
    }

    String text(Object... arguments) {
        return "[" + id + "] " + String.format(Locale.ROOT, format, arguments).strip();
    }
}
