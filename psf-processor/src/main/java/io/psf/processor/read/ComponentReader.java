package io.psf.processor.read;

import io.psf.api.Place;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Ragged;
import io.psf.api.layout.Reduce;
import io.psf.processor.model.Component;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import io.psf.processor.model.WireFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Reads the layouts of the components of a function's two tuples, and checks that they are possible. */
final class ComponentReader {
    private static final Layout WHOLE = new Layout.Whole();

    private final Place place;
    /** True if only one node answers. */
    private final boolean single;

    private final boolean merged;
    private final List<TupleElement> request;
    private final Problems problems;
    private final ComponentVersions versions;
    private final ArrayChecks arrays;
    private final KeyReader keys;
    private final RaggedReader ragged;

    ComponentReader(String function, Place place, boolean merged, List<TupleElement> request, Problems problems) {
        this.place = place;
        this.merged = merged;
        this.request = request;
        this.problems = problems;
        this.single = place == Place.SCHEDULER || hasOwner(place, request);
        this.versions = new ComponentVersions(request, problems);
        this.arrays = new ArrayChecks(problems);
        this.keys = new KeyReader(function, place, request, problems);
        this.ragged = new RaggedReader(request, keys, problems);
    }

    /** True if the request has a key whose owner among the servers is the only node that answers. */
    static boolean hasOwner(Place place, List<TupleElement> request) {
        return request.stream().anyMatch(each -> KeyReader.isOwner(place, each));
    }

    List<Component> request() {
        List<Component> components = new ArrayList<>();
        int target = place == Place.SHARD ? indexOfTarget() : -1;
        for (TupleElement each : request) {
            Layout layout = ofRequest(each);
            components.add(component(each, each.index() == target ? new Layout.Target() : layout, request));
        }
        return components;
    }

    List<Component> response(List<TupleElement> response) {
        keys.response(response);
        return response.stream()
                .map(each -> component(each, ofResponse(each, response), response))
                .toList();
    }

    /** Returns the number of the first tensor of the request; -1 if there is none. */
    int indexOfTarget() {
        return request.stream()
                .filter(each -> each.type() == Scalar.TENSOR)
                .mapToInt(TupleElement::index)
                .findFirst()
                .orElse(-1);
    }

    private Component component(TupleElement each, Layout layout, List<TupleElement> tuple) {
        Type type = each.type() instanceof Type.Nullable nullable ? nullable.of() : each.type();
        if (place != Place.SHARD && type instanceof Type.Shared array && array.wire() == WireFormat.TENSOR) {
            problems.add(each.field(), Message.WIRE_PLACE, each.name(), place);
        }
        return new Component(each.index(), each.name(), each.type(), layout, versions.since(each, tuple), each.doc());
    }

    private Layout ofRequest(TupleElement each) {
        if (each.layouts().isEmpty() || !isOne(each)) {
            return WHOLE;
        }
        Mirror mirror = each.layouts().get(0);
        if (KeyReader.isOwner(place, each)) {
            return keys.owner(each, mirror);
        } else if (mirror.type() == Reduce.class) {
            problems.add(each.field(), mirror, "", Message.REDUCE_IN_REQUEST, each.name());
            return WHOLE;
        } else if (!fitsPlace(mirror, each) || isNull(each)) {
            return WHOLE;
        }
        return mirror.type() == ByKey.class ? keys.byKey(each, mirror) : ofArray(each, mirror, request, false);
    }

    private Layout ofResponse(TupleElement each, List<TupleElement> response) {
        if (each.layouts().isEmpty()) {
            if (!merged && !single && !each.isBad()) {
                requireMergeable(each);
            }
            return WHOLE;
        } else if (!isOne(each)) {
            return WHOLE;
        }
        Mirror mirror = each.layouts().get(0);
        if (!fitsPlace(mirror, each) || isNull(each)) {
            return WHOLE;
        } else if (merged) {
            problems.add(each.field(), mirror, "", Message.MERGE_AND_LAYOUT, mirror.name(), each.name());
            return WHOLE;
        } else if (mirror.type() == Reduce.class) {
            return new ReductionReader(problems).read(each, mirror);
        }
        return mirror.type() == ByKey.class ? keys.producedKeys(each, mirror) : ofArray(each, mirror, response, true);
    }

    private Layout ofArray(TupleElement each, Mirror mirror, List<TupleElement> tuple, boolean inResponse) {
        if (mirror.type() == ByRange.class) {
            arrays.requireShared(each, mirror);
            return new Layout.ByRange(arrays.width(each, mirror));
        } else if (mirror.type() == Ragged.class) {
            arrays.requireShared(each, mirror);
            return ragged.read(each, mirror, tuple, inResponse);
        }
        if (inResponse && each.type() instanceof Type.ListOf) {
            return keys.elementsAlongKeys(each, mirror);
        }
        return keys.alongKeys(each, mirror, inResponse, RaggedReader.isCounts(each, tuple));
    }

    /**
     * Returns true if the component has exactly one layout, which is resolved. Reports several layouts. A layout that
     * the compiler could not resolve is reported by the compiler.
     */
    private boolean isOne(TupleElement each) {
        if (each.layouts().size() > 1) {
            problems.add(
                    each.field(),
                    Message.LAYOUTS_SEVERAL,
                    each.name(),
                    each.layouts().stream().map(mirror -> "@" + mirror.name()).collect(Collectors.joining(" and ")));
        }
        return each.layouts().size() == 1 && each.layouts().get(0).isResolved();
    }

    /**
     * Returns true if the component is nullable although it has a layout, and reports it: a layout requires a value.
     */
    private boolean isNull(TupleElement each) {
        if (each.type() instanceof Type.Nullable) {
            reportNull(each, "no null on a component with a layout", "Use an empty array or a zero.");
        }
        return each.type() instanceof Type.Nullable;
    }

    private void reportNull(TupleElement each, String expected, String hint) {
        problems.add(each.field(), Message.NULLABLE, each.name(), each.simpleType(), expected, hint);
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
                        ? "Layouts split at slices: use at = SHARD, or remove it."
                        : "One node answers: remove the annotation.");
        return false;
    }

    /**
     * Checks that components without a layout can be merged from the answers of several slices. Lists are concatenated.
     */
    private void requireMergeable(TupleElement each) {
        if (each.type() instanceof Type.ListOf || each.type() instanceof Type.MapOf) {
            return;
        } else if (each.type() instanceof Type.Nullable nullable && nullable.of() instanceof Type.MapOf) {
            reportNull(each, "no null for a map that is merged from the slices' maps", "Use an empty map.");
            return;
        } else if (each.type() instanceof Type.Nullable nullable && nullable.of() instanceof Type.ListOf) {
            reportNull(each, "no null for a list that is merged from the slices' lists", "Use an empty list.");
            return;
        }
        problems.add(
                each.field(),
                Message.RESPONSE_LAYOUT,
                each.name(),
                place == Place.SHARD ? "slices" : "servers",
                choices(each.type()));
    }

    private String choices(Type type) {
        if (type instanceof Type.Shared) {
            return place == Place.SHARD
                    ? "@ByRange, "
                            + (keys.sets().isEmpty()
                                    ? ""
                                    : "@Along(\"" + keys.sets().get(0) + "\"), ") + "or @Reduce(SUM), MIN or MAX"
                    : "@Reduce(SUM), MIN or MAX";
        } else if (type instanceof Type.Copied copied) {
            return copied.of().shared() + " with a layout";
        } else if (type instanceof Type.Flags) {
            return "ByteArray with a layout";
        } else if (type instanceof Scalar scalar && scalar.isNumber()) {
            return "@Reduce(SUM), MIN or MAX";
        } else if (type == Scalar.BOOLEAN) {
            return "@Reduce(AND) or OR";
        }
        return "a List, for which the slices' lists are concatenated";
    }
}
