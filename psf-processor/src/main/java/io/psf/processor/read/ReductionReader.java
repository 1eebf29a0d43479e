package io.psf.processor.read;

import io.psf.api.layout.Reduction;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.EnumSet;
import java.util.Set;

/** Reads the reduction with which a component of a response is folded over the slices. */
final class ReductionReader {
    private static final Set<Reduction> OF_NUMBERS = EnumSet.of(Reduction.SUM, Reduction.MIN, Reduction.MAX);
    private static final Set<Reduction> OF_BOOLEANS = EnumSet.of(Reduction.AND, Reduction.OR);
    private static final String OWN_MERGE = "write \"static Response merge(List<Response> slices)\"";

    private final Problems problems;

    ReductionReader(Problems problems) {
        this.problems = problems;
    }

    Layout read(TupleElement each, Mirror mirror) {
        Reduction reduction = mirror.constant("value", Reduction.class).orElse(Reduction.SUM);
        if (each.isBad()) {
            return new Layout.Reduced(reduction);
        }
        Type folded = each.type() instanceof Type.MapOf map ? map.of() : each.type();
        boolean numbers = folded instanceof Type.Shared || (folded instanceof Scalar s && s.isNumber());
        if (!numbers && folded != Scalar.BOOLEAN) {
            problems.add(
                    each.field(),
                    mirror,
                    "",
                    Message.LAYOUT_TYPE,
                    "Reduce",
                    each.name(),
                    each.simpleType(),
                    "a number, a boolean, a map to these or a shared array",
                    hint(each.type()));
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
                    forOthers ? "" : " To keep the slices' answers apart, " + OWN_MERGE + ".");
        }
        return new Layout.Reduced(reduction);
    }

    private static String hint(Type type) {
        if (type instanceof Type.Copied copied) {
            return "Use " + copied.of().shared() + ".";
        }
        return type instanceof Type.ListOf
                ? "Remove it: the slices' lists are concatenated."
                : "W" + OWN_MERGE.substring(1) + " for it.";
    }
}
