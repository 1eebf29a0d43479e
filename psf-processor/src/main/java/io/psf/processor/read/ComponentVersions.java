package io.psf.processor.read;

import io.psf.api.layout.Along;
import io.psf.api.layout.Ragged;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads the version of the schema that added a component, and checks that a schema grows only at its end. */
final class ComponentVersions {
    static final String FIRST = "Version 1 has no @Since.";
    static final String NO_TENSOR = "A tensor that was not sent has no default: use a String, or @Nullable.";

    private final List<TupleElement> request;
    private final Problems problems;

    ComponentVersions(List<TupleElement> request, Problems problems) {
        this.request = request;
        this.problems = problems;
    }

    /** Returns the version that added a component. */
    int since(TupleElement each, List<TupleElement> tuple) {
        int since = written(each);
        if (each.since().isPresent() && since < 2) {
            problems.add(
                    each.field(),
                    each.since().get(),
                    "value",
                    Message.SINCE,
                    "@Since(" + since + ") on component " + each.name(),
                    FIRST);
            return 1;
        }
        if (each.since().isPresent() && holdsTensor(each.type())) {
            problems.add(
                    each.field(),
                    each.since().get(),
                    "",
                    Message.SINCE,
                    "@Since(" + since + ") on component " + each.name() + " with a TensorId",
                    NO_TENSOR);
        }
        int before = each.index() == 0 ? 1 : written(tuple.get(each.index() - 1));
        if (since < before) {
            String what = "component " + each.name() + " of version " + since + " follows one of version " + before;
            problems.add(
                    each.field(), Message.SINCE, what, "Move it before that one, or give it @Since(" + before + ").");
        }
        leader(each, tuple)
                .filter(leader -> written(leader) > since)
                .ifPresent(leader -> problems.add(
                        each.field(),
                        Message.SINCE,
                        "component " + each.name() + " of version " + since + " goes along " + leader.name()
                                + " of version " + written(leader),
                        "Give it @Since(" + written(leader) + ")."));
        return since;
    }

    /** Returns the component along which a component's rows go. */
    private Optional<TupleElement> leader(TupleElement each, List<TupleElement> tuple) {
        return each.layouts().stream()
                .filter(mirror -> mirror.type() == Along.class || mirror.type() == Ragged.class)
                .map(mirror -> mirror.text("value"))
                .flatMap(name -> Stream.concat(tuple.stream(), request.stream())
                        .filter(other -> other.name().equals(name)))
                .findFirst();
    }

    private static int written(TupleElement each) {
        return each.since().map(mirror -> mirror.number("value")).orElse(1);
    }

    /** True if the type contains a tensor that is not nullable, and so must always be sent. */
    static boolean holdsTensor(Type type) {
        return type == Scalar.TENSOR
                || (type instanceof Type.Tuple tuple
                        && tuple.parts().stream().anyMatch(part -> holdsTensor(part.type())));
    }
}
