package io.psf.processor.read;

import io.psf.api.Place;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduction;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Reads the keys of a function's two tuples, and the components along them. */
final class KeyReader {
    private final String function;
    private final Place place;
    private final List<TupleElement> request;
    private final Problems problems;
    private final ArrayChecks arrays;
    /** The names of the request's key sets. */
    private final List<String> sets;
    /**
     * The components of the request to which an {@code Along} refers although they have no keys. Each is reported once.
     */
    private final Set<String> reported = new HashSet<>();
    /** The names of the keys that servers produce. */
    private List<String> produced = List.of();

    KeyReader(String function, Place place, List<TupleElement> request, Problems problems) {
        this.function = function;
        this.place = place;
        this.request = request;
        this.problems = problems;
        this.arrays = new ArrayChecks(problems);
        this.sets = names(request);
    }

    private static List<String> names(List<TupleElement> tuple) {
        return tuple.stream()
                .filter(each -> each.has(ByKey.class))
                .map(TupleElement::name)
                .toList();
    }

    /** Sets the response, whose keys are known from now on. */
    void response(List<TupleElement> response) {
        produced = names(response);
    }

    /** Returns the names of the request's key sets, in the order of their numbers. */
    List<String> sets() {
        return sets;
    }

    /** The names of the keys that servers produce. */
    List<String> produced() {
        return produced;
    }

    /** True if a component of a request is the key whose owner among the servers is the only node that answers. */
    static boolean isOwner(Place place, TupleElement each) {
        return place == Place.SERVER && each.has(ByKey.class) && each.type() == Scalar.LONG;
    }

    Layout owner(TupleElement each, Mirror mirror) {
        if (request.stream().anyMatch(other -> other.index() < each.index() && isOwner(place, other))) {
            problems.add(each.field(), mirror, "", Message.OWNER, "another @ByKey", each.name());
        } else if (each.since().isPresent()) {
            problems.add(each.field(), each.since().get(), "", Message.OWNER, "@Since", each.name());
        } else {
            reportWritten(each, mirror, Message.OWNER);
        }
        return new Layout.Owner();
    }

    /** Reads keys of a response. */
    Layout producedKeys(TupleElement each, Mirror mirror) {
        arrays.requireKeys(each, mirror);
        reportWritten(each, mirror, Message.KEYS_IN_RESPONSE);
        return new Layout.ProducedKeys();
    }

    /** Reports the first value of {@code ByKey} that is written where no value has a meaning. */
    private void reportWritten(TupleElement each, Mirror mirror, Message message) {
        Stream.of("value", "of", "combine", "everySlice")
                .filter(value -> mirror.written(value) != null)
                .findFirst()
                .ifPresent(value -> problems.add(each.field(), mirror, value, message, value, each.name()));
    }

    /** Reads keys of a request: an array of keys, or a list whose elements have one key each. */
    Layout byKey(TupleElement each, Mirror mirror) {
        String of = of(each, mirror);
        int set = sets.indexOf(each.name());
        Reduction combine = mirror.constant("combine", Reduction.class).orElse(Reduction.NONE);
        if (each.type() instanceof Type.ListOf list) {
            if (combine != Reduction.NONE) {
                problems.add(
                        each.field(),
                        mirror,
                        "combine",
                        Message.LIST_BY_KEY,
                        "combine = " + combine,
                        each.name(),
                        "NONE",
                        "Elements cannot be folded: each is sent to the owner of its key.");
            }
            return new Layout.ElementsByKey(set, elementKey(each, list.of(), mirror), of, mirror.flag("everySlice"));
        }
        arrays.requireKeys(each, mirror);
        if (mirror.written("value") != null && !each.isBad()) {
            reportNoKey(each, mirror, "no value, since the array is the keys", "");
        }
        if (combine == Reduction.AND || combine == Reduction.OR) {
            problems.add(each.field(), mirror, "combine", Message.COMBINE, combine, each.name());
        }
        return new Layout.ByKey(set, of, combine, mirror.flag("everySlice"));
    }

    /** Returns the tensor whose keys they are; empty for the first tensor of the request. */
    private String of(TupleElement each, Mirror mirror) {
        if (mirror.written("of") == null) {
            return "";
        }
        String name = mirror.text("of");
        List<String> tensors = request.stream()
                .filter(other -> other.type() == Scalar.TENSOR)
                .map(TupleElement::name)
                .toList();
        if (!tensors.contains(name) && request.stream().noneMatch(other -> isUnknown(other, name))) {
            problems.add(
                    each.field(),
                    mirror,
                    "of",
                    Message.KEYS_OF,
                    name,
                    each.name(),
                    function + ".Request",
                    tensors.isEmpty() ? "a TensorId, but the request has none" : String.join(" or ", tensors),
                    Nearest.didYouMean(name, tensors));
        }
        return tensors.indexOf(name) == 0 ? "" : name;
    }

    /** True if a component of that name has a type that has already been reported. */
    private static boolean isUnknown(TupleElement other, String name) {
        return other.name().equals(name) && (other.isBad() || other.unresolved());
    }

    private String elementKey(TupleElement each, Type of, Mirror mirror) {
        String name = mirror.text("value");
        if (!(of instanceof Type.Tuple element)) {
            if (!each.isBad()) {
                reportNoKey(each, mirror, "a list of records; bare keys are a LongArray", "");
            }
            return name;
        }
        List<String> keys = element.parts().stream()
                .filter(part -> part.type() == Scalar.LONG)
                .map(Type.Part::name)
                .toList();
        if (!keys.contains(name)) {
            String expected = keys.isEmpty()
                    ? "a long component of " + element.name().simpleName() + ", which has none"
                    : String.join(" or ", keys);
            reportNoKey(each, mirror, expected, Nearest.didYouMean(name, keys));
        }
        return name;
    }

    private void reportNoKey(TupleElement each, Mirror mirror, String expected, String hint) {
        problems.add(
                each.field(),
                mirror,
                mirror.written("value") == null ? "" : "value",
                Message.ELEMENT_KEY,
                mirror.text("value"),
                each.name(),
                each.simpleType(),
                expected,
                hint);
    }

    /** Reads a list of a response whose element i belongs to key i of the request. */
    Layout elementsAlongKeys(TupleElement each, Mirror mirror) {
        String name = mirror.text("value");
        int set = sets.indexOf(name);
        if (produced.contains(name)) {
            problems.add(
                    each.field(),
                    mirror,
                    "value",
                    Message.LIST_BY_KEY,
                    "@Along(\"" + name + "\")",
                    each.name(),
                    "keys of the request",
                    "Along keys that servers produce: put the key into the elements, and remove @Along.");
        } else if (set < 0) {
            reportNoKeys(each, mirror, name, true);
        }
        if (mirror.written("width") != null) {
            problems.add(
                    each.field(),
                    mirror,
                    "width",
                    Message.LIST_BY_KEY,
                    "width",
                    each.name(),
                    "none, since each key has one element",
                    "Remove it.");
        }
        return new Layout.ElementsAlongKeys(name, set);
    }

    /**
     * Reads a component along keys.
     *
     * @param counts true if the component has the lengths of ragged rows
     */
    Layout alongKeys(TupleElement each, Mirror mirror, boolean inResponse, boolean counts) {
        arrays.requireShared(each, mirror);
        String keys = mirror.text("value");
        int width = counts ? widthOfCounts(each, mirror) : arrays.width(each, mirror);
        if (inResponse && produced.contains(keys)) {
            return new Layout.AlongProducedKeys(keys, width);
        }
        int set = sets.indexOf(keys);
        if (set < 0) {
            reportNoKeys(each, mirror, keys, inResponse);
        }
        return new Layout.AlongKeys(keys, set, width);
    }

    private void reportNoKeys(TupleElement each, Mirror mirror, String keys, boolean inResponse) {
        boolean exists = request.stream().anyMatch(other -> other.name().equals(keys));
        if (exists && !reported.add(keys)) {
            return;
        }
        List<String> all = Stream.concat(inResponse ? produced.stream() : Stream.of(), sets.stream())
                .toList();
        problems.add(
                each.field(),
                mirror,
                "value",
                exists ? Message.ALONG_NOT_KEYS : Message.ALONG_UNKNOWN,
                keys,
                function + ".Request",
                all.isEmpty() ? "a LongArray with @ByKey, but it has none" : String.join(" or ", all),
                Nearest.didYouMean(keys, all));
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
                    "one count per row: no width, or 1",
                    "");
        }
        return 1;
    }
}
