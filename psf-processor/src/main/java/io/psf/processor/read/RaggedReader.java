package io.psf.processor.read;

import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Ragged;
import io.psf.api.layout.Reduction;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Type;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the rows of different lengths of a function's tuples, and the components that have the lengths. */
final class RaggedReader {
    private static final Type COUNTS = new Type.Shared(Type.Items.INT);

    private static final String BY_RANGE =
            " Rows of different lengths go along keys: for all rows of a slice, pass all keys.";

    private final List<TupleElement> request;
    private final KeyReader keys;
    private final Problems problems;
    /** The components to which a {@code Ragged} refers although they are no lengths. Each is reported once. */
    private final Set<TupleElement> reported = new HashSet<>();

    RaggedReader(List<TupleElement> request, KeyReader keys, Problems problems) {
        this.request = request;
        this.keys = keys;
        this.problems = problems;
    }

    /**
     * True if a component has the lengths of another component's rows. Such a component has one element for each row.
     */
    static boolean isCounts(TupleElement each, List<TupleElement> tuple) {
        return tuple.stream()
                .flatMap(other -> other.layouts().stream())
                .anyMatch(mirror ->
                        mirror.type() == Ragged.class && mirror.text("value").equals(each.name()));
    }

    /** Reads a component with {@code Ragged}. */
    Layout read(TupleElement each, Mirror mirror, List<TupleElement> tuple, boolean inResponse) {
        String name = mirror.text("value");
        Optional<TupleElement> named =
                tuple.stream().filter(other -> other.name().equals(name)).findFirst();
        Optional<TupleElement> counts = named.filter(other ->
                other.has(Along.class) && (other.isBad() || other.type().equals(COUNTS)));
        if (counts.isEmpty()) {
            if (named.isEmpty() || reported.add(named.get())) {
                boolean byRange =
                        named.filter(other -> other.has(ByRange.class)).isPresent();
                reportNoCounts(each, mirror, name, tuple, byRange ? BY_RANGE : "");
            }
            return new Layout.Ragged(name, 0, -1);
        }
        String along = counts.get().layouts().get(0).text("value");
        if (!inResponse) {
            requireUnfolded(each, mirror, along);
        }
        boolean ofServers = inResponse && keys.produced().contains(along);
        return new Layout.Ragged(
                name, counts.get().index(), ofServers ? -1 : keys.sets().indexOf(along));
    }

    private void reportNoCounts(TupleElement each, Mirror mirror, String name, List<TupleElement> tuple, String hint) {
        List<String> others = tuple.stream()
                .filter(other -> other.type().equals(COUNTS) && other.has(Along.class))
                .map(TupleElement::name)
                .toList();
        problems.add(
                each.field(),
                mirror,
                "value",
                Message.RAGGED_COUNTS,
                name,
                each.name(),
                others.isEmpty() ? "an IntArray with @Along in the same tuple" : String.join(" or ", others),
                hint.isEmpty() ? Nearest.didYouMean(name, others) : hint);
    }

    private void requireUnfolded(TupleElement each, Mirror mirror, String along) {
        for (TupleElement other : request) {
            if (other.name().equals(along) && other.has(ByKey.class)) {
                Reduction combine = other.layouts()
                        .get(0)
                        .constant("combine", Reduction.class)
                        .orElse(Reduction.NONE);
                if (combine != Reduction.NONE) {
                    problems.add(each.field(), mirror, "", Message.RAGGED_FOLDED, each.name(), along, combine);
                }
            }
        }
    }
}
