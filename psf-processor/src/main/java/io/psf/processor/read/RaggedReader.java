package io.psf.processor.read;

import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Ragged;
import io.psf.api.layout.Reduction;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Type;
import java.util.List;
import java.util.Optional;

/** Reads the rows of different lengths of one tuple, and which of its components tell the lengths. */
final class RaggedReader {
    private static final Type COUNTS = new Type.Shared(Type.Items.INT);

    private final List<TupleElement> tuple;
    private final Problems problems;

    RaggedReader(List<TupleElement> tuple, Problems problems) {
        this.tuple = tuple;
        this.problems = problems;
    }

    /** Whether a component tells the lengths of another's rows: then it has one element for each row. */
    boolean isCounts(TupleElement each) {
        return tuple.stream()
                .flatMap(other -> other.layouts().stream())
                .anyMatch(mirror ->
                        mirror.type() == Ragged.class && mirror.text("value").equals(each.name()));
    }

    /**
     * Reads a component with {@code Ragged}.
     *
     * @param requestKeys the request's components; the key sets are numbered among those with {@code ByKey}
     * @param sets the names of the request's key sets
     * @param produced the names of keys that servers produce
     */
    Layout read(
            TupleElement each,
            Mirror mirror,
            List<TupleElement> requestKeys,
            List<String> sets,
            List<String> produced,
            boolean inResponse) {
        String name = mirror.text("value");
        Optional<TupleElement> counts = tuple.stream()
                .filter(other -> other.name().equals(name) && other.has(Along.class))
                .filter(other -> other.isBad() || other.type().equals(COUNTS))
                .findFirst();
        if (counts.isEmpty()) {
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
                    Nearest.didYouMean(name, others));
            return new Layout.Uneven(name, 0, -1);
        }
        String keys = counts.get().layouts().get(0).text("value");
        if (!inResponse) {
            requireUnfolded(each, mirror, keys, requestKeys);
        }
        boolean ofServers = inResponse && produced.contains(keys);
        return new Layout.Uneven(name, counts.get().index(), ofServers ? -1 : sets.indexOf(keys));
    }

    private void requireUnfolded(TupleElement each, Mirror mirror, String keys, List<TupleElement> request) {
        for (TupleElement other : request) {
            if (other.name().equals(keys) && other.has(ByKey.class)) {
                Reduction combine = other.layouts()
                        .get(0)
                        .constant("combine", Reduction.class)
                        .orElse(Reduction.NONE);
                if (combine != Reduction.NONE) {
                    problems.add(each.field(), mirror, "", Message.RAGGED_FOLDED, each.name(), keys, combine);
                }
            }
        }
    }
}
