package io.psf.processor.read;

import io.psf.api.Place;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Ragged;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import io.psf.processor.model.Component;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads how the components of a function's two tuples lie over slices, and checks that they can. */
final class ComponentReader {
    private static final Set<Reduction> OF_NUMBERS = EnumSet.of(Reduction.SUM, Reduction.MIN, Reduction.MAX);
    private static final Set<Reduction> OF_BOOLEANS = EnumSet.of(Reduction.AND, Reduction.OR);
    private static final Layout WHOLE = new Layout.Whole();

    private final String function;
    private final Place place;
    /** Whether one node alone answers. */
    private final boolean single;

    private final boolean merged;
    private final List<TupleElement> request;
    private final Problems problems;
    private final Versions versions;
    /** The names of the request's key sets. */
    private final List<String> keySets;
    /** The names of the keys that servers produce. */
    private List<String> producedKeys = List.of();

    private List<TupleElement> response = List.of();

    ComponentReader(String function, Place place, boolean merged, List<TupleElement> request, Problems problems) {
        this.function = function;
        this.place = place;
        this.merged = merged;
        this.request = request;
        this.problems = problems;
        this.keySets = keySets(request);
        this.single = place == Place.SCHEDULER || hasOwner(place, request);
        this.versions = new Versions(request, problems);
    }

    private static List<String> keySets(List<TupleElement> tuple) {
        return tuple.stream()
                .filter(each -> each.has(ByKey.class))
                .map(TupleElement::name)
                .toList();
    }

    List<Component> request() {
        List<Component> components = new ArrayList<>();
        int target = place == Place.SHARD ? indexOfTarget() : -1;
        for (TupleElement each : request) {
            Layout layout = each.index() == target ? targetLayout(each) : layout(each, false);
            components.add(component(each, layout, request));
        }
        return components;
    }

    List<Component> response(List<TupleElement> tuple) {
        response = tuple;
        producedKeys = keySets(tuple);
        return response.stream()
                .map(each -> component(each, layout(each, true), response))
                .toList();
    }

    /** The number of the first tensor of the request; -1 if there is none. */
    int indexOfTarget() {
        return request.stream()
                .filter(each -> each.type() == Scalar.TENSOR)
                .mapToInt(TupleElement::index)
                .findFirst()
                .orElse(-1);
    }

    private Layout targetLayout(TupleElement each) {
        layout(each, false);
        return new Layout.Target();
    }

    /** Tells of a null that cannot be sent: a layout lies over what is there. */
    private boolean isNull(TupleElement each) {
        if (!(each.type() instanceof Type.Maybe)) {
            return false;
        }
        problems.add(
                each.field(),
                Message.NULLABLE,
                each.name(),
                each.simpleType(),
                "no null where there is a layout",
                "Use an empty array or a zero.");
        return true;
    }

    private Component component(TupleElement each, Layout layout, List<TupleElement> tuple) {
        return new Component(each.index(), each.name(), each.type(), layout, versions.since(each, tuple), each.doc());
    }

    private Layout layout(TupleElement each, boolean inResponse) {
        if (each.layouts().isEmpty()) {
            if (inResponse && !merged && !single && !each.isBad()) {
                problems.add(
                        each.field(),
                        Message.RESPONSE_LAYOUT,
                        each.name(),
                        place == Place.SHARD ? "slices" : "servers",
                        choices(each.type()));
            }
            return WHOLE;
        }
        if (each.layouts().size() > 1) {
            problems.add(
                    each.field(),
                    Message.LAYOUTS_SEVERAL,
                    each.name(),
                    each.layouts().stream().map(mirror -> "@" + mirror.name()).collect(Collectors.joining(" and ")));
            return WHOLE;
        }
        Mirror mirror = each.layouts().get(0);
        if (!inResponse && isOwner(place, each)) {
            return owner(each, mirror);
        }
        if (!inResponse && mirror.type() == Reduce.class) {
            problems.add(each.field(), mirror, "", Message.REDUCE_IN_REQUEST, each.name());
            return WHOLE;
        } else if (!fitsPlace(mirror, each) || isNull(each)) {
            return WHOLE;
        } else if (inResponse && merged) {
            problems.add(each.field(), mirror, "", Message.MERGE_AND_LAYOUT, mirror.name(), each.name());
            return WHOLE;
        } else if (mirror.type() == Reduce.class) {
            return folded(each, mirror);
        } else if (mirror.type() == ByKey.class) {
            return inResponse ? produced(each, mirror) : keyed(each, mirror);
        } else if (mirror.type() == ByRange.class) {
            requireShared(each, mirror);
            return new Layout.Ranged(width(each, mirror));
        }
        RaggedReader ragged = new RaggedReader(inResponse ? response : request, problems);
        if (mirror.type() == Ragged.class) {
            requireShared(each, mirror);
            return ragged.read(each, mirror, request, keySets, producedKeys, inResponse);
        }
        return beside(each, mirror, inResponse, ragged.isCounts(each));
    }

    private boolean fitsPlace(Mirror mirror, TupleElement each) {
        boolean servers = place == Place.SERVER && !single;
        if (place == Place.SHARD || (servers && mirror.type() == Reduce.class)) {
            return true;
        }
        problems.add(
                each.field(),
                mirror,
                "",
                Message.LAYOUT_PLACE,
                mirror.name(),
                each.name(),
                place,
                servers ? "@Reduce in the response, @ByKey on a long of the request, or none" : "none",
                servers
                        ? "Layouts cut at slices: use at = SHARD, or take it away."
                        : "One node answers: take it away.");
        return false;
    }

    /** Whether the request names a key whose owner among the servers answers alone. */
    static boolean hasOwner(Place place, List<TupleElement> request) {
        return request.stream().anyMatch(each -> isOwner(place, each));
    }

    private static boolean isOwner(Place place, TupleElement each) {
        return place == Place.SERVER && each.has(ByKey.class) && each.type() == Scalar.LONG;
    }

    private Layout owner(TupleElement each, Mirror mirror) {
        for (String written : List.of("combine", "everySlice")) {
            if (mirror.written(written) != null) {
                problems.add(each.field(), mirror, written, Message.OWNER, written, each.name());
            }
        }
        each.since().ifPresent(since -> problems.add(each.field(), since, "", Message.OWNER, "@Since", each.name()));
        if (request.stream().anyMatch(other -> other.index() < each.index() && isOwner(place, other))) {
            problems.add(each.field(), mirror, "", Message.OWNER, "another @ByKey", each.name());
        }
        return new Layout.Owner();
    }

    private Layout produced(TupleElement each, Mirror mirror) {
        requireKeys(each, mirror);
        for (String written : List.of("combine", "everySlice")) {
            if (mirror.written(written) != null) {
                problems.add(each.field(), mirror, written, Message.KEYS_IN_RESPONSE, written, each.name());
            }
        }
        return new Layout.Produced();
    }

    private void requireKeys(TupleElement each, Mirror mirror) {
        if (!each.isBad() && !each.type().equals(new Type.Shared(Type.Items.LONG))) {
            problems.add(
                    each.field(),
                    mirror,
                    "",
                    Message.LAYOUT_TYPE,
                    "ByKey",
                    each.name(),
                    each.simpleType(),
                    "LongArray",
                    "Keys are rows of the tensor, 64 bits each.");
        }
    }

    private Layout keyed(TupleElement each, Mirror mirror) {
        requireKeys(each, mirror);
        Reduction combine = mirror.constant("combine", Reduction.class).orElse(Reduction.NONE);
        if (combine == Reduction.AND || combine == Reduction.OR) {
            problems.add(each.field(), mirror, "combine", Message.COMBINE, combine, each.name());
        }
        return new Layout.Keyed(keySets.indexOf(each.name()), combine, mirror.flag("everySlice"));
    }

    private Layout beside(TupleElement each, Mirror mirror, boolean inResponse, boolean counts) {
        requireShared(each, mirror);
        String keys = mirror.text("value");
        int width = counts ? widthOfCounts(each, mirror) : width(each, mirror);
        if (inResponse && producedKeys.contains(keys)) {
            return new Layout.Appended(keys, width);
        }
        int set = keySets.indexOf(keys);
        if (set < 0) {
            boolean exists = request.stream().anyMatch(other -> other.name().equals(keys));
            List<String> all = Stream.concat(inResponse ? producedKeys.stream() : Stream.of(), keySets.stream())
                    .toList();
            problems.add(
                    each.field(),
                    mirror,
                    "value",
                    exists ? Message.ALONG_NOT_KEYS : Message.ALONG_UNKNOWN,
                    keys,
                    function + ".Request",
                    all.isEmpty() ? "a LongArray with @ByKey, which it has not" : String.join(" or ", all),
                    Nearest.didYouMean(keys, all));
        }
        return new Layout.Beside(keys, set, width);
    }

    private int widthOfCounts(TupleElement each, Mirror mirror) {
        if (mirror.written("width") != null && mirror.number("width") != 1) {
            problems.add(
                    each.field(),
                    mirror,
                    "width",
                    Message.RAGGED_COUNTS,
                    each.name(),
                    each.name(),
                    "one count a row: no width, or 1",
                    "");
        }
        return 1;
    }

    private Layout folded(TupleElement each, Mirror mirror) {
        Reduction reduction = mirror.constant("value", Reduction.class).orElse(Reduction.SUM);
        if (each.isBad()) {
            return new Layout.Folded(reduction);
        }
        boolean numbers = each.type() instanceof Type.Shared || (each.type() instanceof Scalar s && s.isNumber());
        if (!numbers && each.type() != Scalar.BOOLEAN) {
            problems.add(
                    each.field(),
                    mirror,
                    "",
                    Message.LAYOUT_TYPE,
                    "Reduce",
                    each.name(),
                    each.simpleType(),
                    "a number, a boolean or a shared array",
                    each.type() instanceof Type.Copied copied
                            ? "Use " + copied.of().shared() + "."
                            : "Write \"static Response merge(List<Response> slices)\" for it.");
        } else if (!(numbers ? OF_NUMBERS : OF_BOOLEANS).contains(reduction)) {
            boolean forOthers = (numbers ? OF_BOOLEANS : OF_NUMBERS).contains(reduction);
            problems.add(
                    each.field(),
                    mirror,
                    "value",
                    Message.REDUCTION,
                    reduction,
                    each.name(),
                    each.simpleType(),
                    numbers ? "SUM, MIN or MAX" : "AND or OR",
                    forOthers
                            ? ""
                            : " To keep the slices' answers apart, write \"static Response merge(List<Response> slices)\".");
        }
        return new Layout.Folded(reduction);
    }

    private void requireShared(TupleElement each, Mirror mirror) {
        if (!each.isBad() && !(each.type() instanceof Type.Shared)) {
            problems.add(
                    each.field(),
                    mirror,
                    "",
                    Message.LAYOUT_TYPE,
                    mirror.name(),
                    each.name(),
                    each.simpleType(),
                    "a shared array",
                    each.type() instanceof Type.Copied copied
                            ? "Use " + copied.of().shared() + "."
                            : "Use FloatArray, DoubleArray, IntArray, LongArray or ByteArray.");
        }
    }

    private int width(TupleElement each, Mirror mirror) {
        int width = mirror.number("width");
        if (width < 0) {
            problems.add(each.field(), mirror, "width", Message.WIDTH, width, each.name());
        }
        return Math.max(0, width);
    }

    private String choices(Type type) {
        if (type instanceof Type.Shared) {
            return place == Place.SHARD
                    ? "@ByRange, " + (keySets.isEmpty() ? "" : "@Along(\"" + keySets.get(0) + "\"), ")
                            + "or @Reduce(SUM), MIN or MAX"
                    : "@Reduce(SUM), MIN or MAX";
        } else if (type instanceof Scalar scalar && scalar.isNumber()) {
            return "@Reduce(SUM), MIN or MAX";
        } else if (type == Scalar.BOOLEAN) {
            return "@Reduce(AND) or OR";
        }
        return "a merge of the function's own for this type";
    }
}
