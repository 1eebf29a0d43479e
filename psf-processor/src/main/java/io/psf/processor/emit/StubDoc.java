package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import io.psf.api.Place;
import io.psf.api.layout.Reduction;
import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.Layout;
import io.psf.processor.model.OwnMerge;
import io.psf.processor.model.Type;
import io.psf.processor.model.WireFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Generates the javadoc of a stub's calls: the function's text, the shapes, where the arguments are sent and how the
 * answers are merged.
 */
final class StubDoc {
    private static final String BORROWED = "borrowed until await returns";
    /** The end of a clause, which is not within the brackets of a shape. */
    private static final Pattern CLAUSES = Pattern.compile("(?<=[;,]) (?![^\\[]*])");

    private final FunctionModel model;
    private final String part;
    private final String parts;

    StubDoc(FunctionModel model) {
        this.model = model;
        this.part = model.place() == Place.SERVER ? "server" : "slice";
        this.parts = part + "s";
    }

    /**
     * Returns the javadoc of a call. Only the call of the last version without a response to be filled describes all
     * arguments and the answer.
     *
     * @param version the version of the call; {@link Integer#MAX_VALUE} for the last version
     * @param into the name of the response to be filled; empty if there is none
     */
    CodeBlock of(int version, String into) {
        List<String> paragraphs = new ArrayList<>();
        List<String> tags = new ArrayList<>();
        boolean isLast = version == Integer.MAX_VALUE;
        List<Component> request = model.request(version);
        if (isLast && into.isEmpty()) {
            paragraphs.add(model.doc().isEmpty() ? "Calls the function." : model.doc());
            paragraphs.add(LineBreaks.wrapped("<p>" + where(request) + everywhere(request)));
            borrowed(request)
                    .ifPresent(names ->
                            paragraphs.add(LineBreaks.wrapped("<p>Borrowed until await returns: " + names + ".")));
            request.forEach(each -> tags.add("@param " + each.name() + " " + sentence(each, argument(each))));
            tags.add("@return " + answer());
        } else {
            String as = isLast ? "" : " as in version " + version;
            paragraphs.add(
                    "Calls the function" + as + (into.isEmpty() ? "." : ", and fills arrays of {@code " + into + "}."));
            String where = where(request);
            if (!isLast && !where.equals(where(model.request()))) {
                paragraphs.add(LineBreaks.wrapped("<p>" + where));
            }
            if (!isLast) {
                paragraphs.add("<p>Components of later versions are empty.");
            }
        }
        if (!into.isEmpty()) {
            tags.add("@param " + into + " " + into());
        }
        if (!tags.isEmpty()) {
            paragraphs.add(tags.stream().map(LineBreaks::wrapped).collect(Collectors.joining("\n")));
        }
        return CodeBlock.of("$L\n", String.join("\n\n", paragraphs));
    }

    private String everywhere(List<Component> request) {
        boolean any = request.stream().anyMatch(each -> each.layout() instanceof Layout.Whole);
        return any && !model.isSingle() ? " Each " + part + " gets the copied and whole arguments." : "";
    }

    /** Returns the names of the borrowed arguments whose own text does not say so. */
    private static Optional<String> borrowed(List<Component> request) {
        List<Component> borrowed = request.stream()
                .filter(each -> bare(each.type()) instanceof Type.Shared)
                .filter(each -> !each.doc().contains(BORROWED))
                .toList();
        return borrowed.isEmpty() ? Optional.empty() : Optional.of(names(borrowed));
    }

    private String where(List<Component> request) {
        if (model.place() == Place.SCHEDULER) {
            return "Runs on the scheduler.";
        } else if (model.place() == Place.SERVER) {
            return model.owner()
                    .map(key -> "Runs on the server that owns " + code(key.name()) + ".")
                    .orElse("Runs on every server.");
        }
        String tensor = request.stream()
                .filter(each -> each.layout() instanceof Layout.Target)
                .map(each -> " of " + code(each.name()))
                .findFirst()
                .orElse("");
        boolean all = request.stream()
                        .anyMatch(each -> each.layout() instanceof Layout.ByRange
                                || each.layout().everySlice())
                || model.response().stream().anyMatch(each -> each.layout() instanceof Layout.ByRange);
        String keys = request.stream()
                .filter(each -> each.layout().keySet() >= 0)
                .map(each -> code(each.name()))
                .collect(Collectors.joining(" or "));
        String order = model.ordered() ? "." : ", in no order with the worker's other calls.";
        return all || keys.isEmpty()
                ? "Runs on every slice" + tensor + order
                : "Runs on the slices" + tensor + " that own keys of " + keys + order;
    }

    /** Returns a component's own text and those generated clauses that the text does not have. */
    private static String sentence(Component each, String words) {
        String doc = each.doc().replaceAll("[.;,]$", "");
        String orNull = each.type() instanceof Type.Nullable ? "; may be null" : "";
        String more = CLAUSES.splitAsStream((words + orNull).replaceAll("^; ", ""))
                .filter(clause -> doc.isEmpty() || !doc.contains(clause.replaceAll("[;,]$", "")))
                .collect(Collectors.joining(" "))
                .replaceAll("[;,]$", "");
        return doc.isEmpty() ? more : more.isEmpty() ? doc : doc + "; " + more;
    }

    private String argument(Component each) {
        Layout layout = each.layout();
        if (layout instanceof Layout.Target) {
            return "the tensor on whose shards the function runs";
        } else if (layout instanceof Layout.Owner) {
            return "the key whose owner among the servers runs the function";
        } else if (layout instanceof Layout.ByRange byRange) {
            return rows("rows", byRange.width(), each) + ", row-aligned with the tensor, cut at slice bounds";
        } else if (layout instanceof Layout.ByKey byKey) {
            return "[n]" + words(each.type()) + ", global keys" + ofTensor(byKey)
                    + " in any order, each goes to the slice that owns it"
                    + (byKey.combine() == Reduction.NONE ? "" : ", duplicates folded with " + byKey.combine())
                    + (byKey.everySlice() ? "; slices without keys are called too" : "");
        } else if (layout instanceof Layout.ElementsByKey elements) {
            return "each element goes to the slice that owns its " + code(elements.key()) + ofTensor(elements)
                    + ", copied" + (elements.everySlice() ? "; slices without elements are called too" : "");
        } else if (layout instanceof Layout.AlongKeys along) {
            return rows("n", along.width(), each) + ", row i goes to the slice of " + code(along.keys() + "[i]");
        } else if (layout instanceof Layout.Ragged ragged) {
            return ragged(ragged, each) + " and goes to the slice of its key";
        }
        return shape(each.type()) + (bare(each.type()) instanceof Type.Shared ? "whole" : "copied");
    }

    private static String ofTensor(Layout keys) {
        return keys.of().isEmpty() ? "" : " of " + code(keys.of());
    }

    private String into() {
        List<Component> filled = model.response().stream()
                .filter(each -> each.layout().isLaidOut())
                .toList();
        String text = "its " + names(filled) + (filled.size() == 1 ? " is" : " are") + " filled; " + BORROWED;
        String others = names(model.response().stream()
                .filter(each -> !each.layout().isLaidOut() && each.type() instanceof Type.Shared)
                .toList());
        return text + (others.isEmpty() ? "" : "; not " + others) + "; its other components are not read";
    }

    private static String names(List<Component> components) {
        return components.stream().map(each -> code(each.name())).collect(Collectors.joining(", "));
    }

    private String answer() {
        List<String> components = new ArrayList<>();
        for (Component each : model.response()) {
            components.add((code(each.name()) + " " + sentence(each, merged(each))).strip());
        }
        String all = components.isEmpty() ? "" : ": " + String.join("; ", components);
        if (model.merged()) {
            return "the result of the function's {@code merge} on the answers of the " + parts + all;
        } else if (model.isSingle()) {
            return "the answer of the " + (model.place() == Place.SCHEDULER ? "scheduler" : "server") + all;
        }
        String finished = model.own() == OwnMerge.FINISH ? "the result of the function's {@code finish} on " : "";
        return components.isEmpty() && finished.isEmpty()
                ? "an empty response, complete when all " + parts + " have answered"
                : finished + "the answers of the " + parts + ", merged" + all;
    }

    private String merged(Component each) {
        Layout layout = each.layout();
        String shape = shape(each.type());
        if (layout instanceof Layout.Reduced reduced) {
            return shape
                    + (each.type() instanceof Type.MapOf ? "key by key " : shape.isEmpty() ? "" : "element by element ")
                    + folded(reduced.reduction());
        } else if (layout instanceof Layout.ByRange byRange) {
            return rows("rows", byRange.width(), each) + ", row-aligned with the tensor";
        } else if (layout instanceof Layout.AlongKeys along) {
            return rows("n", along.width(), each) + ", row i belongs to " + code(along.keys() + "[i]");
        } else if (layout instanceof Layout.ElementsAlongKeys elements) {
            return "element i belongs to " + code(elements.keys() + "[i]");
        } else if (layout instanceof Layout.ProducedKeys) {
            return "[n]" + words(each.type()) + ", keys that the slices produce, in slice order";
        } else if (layout instanceof Layout.AlongProducedKeys along) {
            return rows("n", along.width(), each) + ", row i belongs to " + code(along.keys() + "[i]");
        } else if (layout instanceof Layout.Ragged ragged) {
            return ragged(ragged, each);
        } else if (!model.decodesAnswers() && each.type() instanceof Type.MapOf) {
            return "the union of the maps, whose keys differ";
        } else if (!model.decodesAnswers()) {
            return "concatenated";
        }
        return shape.isEmpty() ? "" : shape.substring(0, shape.length() - 2);
    }

    private static String folded(Reduction reduction) {
        return switch (reduction) {
            case SUM -> "summed";
            case MIN -> "the minimum";
            case MAX -> "the maximum";
            case AND -> "true if true in all";
            default -> "true if true in any";
        };
    }

    private static String ragged(Layout.Ragged ragged, Component each) {
        return "[sum of " + ragged.counts() + "]" + words(each.type()) + ", row i has " + code(ragged.counts() + "[i]")
                + " elements";
    }

    private static String rows(String rows, int width, Component each) {
        return "[" + rows + ", " + (width == 0 ? "width" : width) + "]" + words(each.type());
    }

    private static String shape(Type type) {
        boolean array = bare(type) instanceof Type.Shared
                || bare(type) instanceof Type.Copied
                || bare(type) instanceof Type.Flags;
        return array ? "[n]" + words(type) + ", " : "";
    }

    private static String words(Type type) {
        Type bare = bare(type);
        return bare instanceof Type.Shared shared
                ? " " + shared.of().words() + sent(shared.wire())
                : bare instanceof Type.Copied copied
                        ? " " + copied.of().words()
                        : bare instanceof Type.Flags ? " boolean" : "";
    }

    private static String sent(WireFormat format) {
        return switch (format) {
            case OWN -> "";
            case TENSOR -> " (sent in the tensor's wire format)";
            case FLOAT16, BFLOAT16, INT8 -> " (sent as " + format.name().toLowerCase(Locale.ROOT) + ")";
        };
    }

    private static Type bare(Type type) {
        return type instanceof Type.Nullable nullable ? nullable.of() : type;
    }

    private static String code(String text) {
        return "{@code " + text + "}";
    }
}
