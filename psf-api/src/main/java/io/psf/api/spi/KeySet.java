package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.TensorLayout;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import io.psf.api.layout.Reduction;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one {@code ByKey} component, grouped by the slice that owns them. If the function requires it, only the
 * first occurrence of a repeated key is sent. Gathers the rows of requests, folding the rows of repeated keys, and
 * scatters the rows of answers with the same grouping.
 */
final class KeySet {
    private final LongArray keys;
    private final boolean everySlice;
    private final TensorLayout layout;
    /** The elements that contain the keys, by position; empty if the keys are not in elements. */
    private List<?> elements = List.of();

    /** The positions of the keys that are sent, grouped by slice; null if element i is i, for each i. */
    private final int @Nullable [] order;
    /** The beginning of each slice's group in {@link #order}; [slices + 1]. */
    private final int[] starts;
    /** The positions whose keys also occur at earlier positions; null if there are none. */
    private final @Nullable Repeats repeats;

    KeySet(String name, LongArray keys, Reduction combine, boolean everySlice, TensorLayout layout) {
        this.keys = keys;
        this.everySlice = everySlice;
        this.layout = layout;
        this.starts = new int[layout.slices() + 1];
        KeyGrouping grouping = KeyGrouping.begin(keys);
        if (!layout.info().grows()) {
            grouping.requireRows(name, layout.info().rows());
        }
        if (combine != Reduction.NONE) {
            grouping.findRepeats();
        }
        this.order = grouping.group(layout, starts);
        this.repeats = grouping.repeats(combine, starts);
    }

    /** Creates the same keys in the same groups, by another layout of the same slices. */
    KeySet(KeySet other, TensorLayout layout) {
        this.keys = other.keys;
        this.everySlice = other.everySlice;
        this.layout = layout;
        this.elements = other.elements;
        this.order = other.order;
        this.starts = other.starts;
        this.repeats = other.repeats;
    }

    /** Returns the number of keys that the caller passed. */
    int positions() {
        return keys.length();
    }

    /** Returns the layout of the tensor whose keys these are. */
    TensorLayout layout() {
        return layout;
    }

    boolean touches(int slice) {
        return everySlice || starts[slice + 1] > starts[slice];
    }

    /** Returns the number of keys that are sent to a slice. */
    int count(int slice) {
        return starts[slice + 1] - starts[slice];
    }

    void writeKeys(int slice, TupleWriter out) {
        write(slice, keys, 1, null, out);
    }

    /**
     * Writes the rows of an array, [positions, width], that belong to a slice's keys. Rows of repeated keys are folded.
     */
    void writeRows(int slice, SharedArray array, int width, TupleWriter out) {
        write(slice, array, width, repeats == null ? null : repeats.ofSlice(slice), out);
    }

    private void write(int slice, SharedArray array, int width, @Nullable Repeats repeats, TupleWriter out) {
        if (order == null) {
            out.range(array, starts[slice] * width, starts[slice + 1] * width);
        } else {
            out.rows(array, order, starts[slice], starts[slice + 1], width, repeats);
        }
    }

    /** Copies each row of a slice's answer to every position of its key. */
    void scatter(int slice, SharedArray answer, SharedArray target, int width) {
        if (order == null) {
            target.copyFrom(starts[slice] * width, answer);
            return;
        }
        target.scatter(answer, order, starts[slice], starts[slice + 1], width);
        if (repeats != null) {
            repeats.ofSlice(slice).scatter(answer, target, width);
        }
    }

    /** Sets the elements that contain the keys, one for each position. */
    void setElements(List<?> elements) {
        this.elements = elements;
    }

    /** Returns the elements that contain a slice's keys, in the caller's order. */
    @SuppressWarnings("unchecked") // generated code sets and gets elements of the same type
    <E> List<E> elements(int slice) {
        List<E> list = (List<E>) elements;
        if (order == null) {
            return list.subList(starts[slice], starts[slice + 1]);
        }
        List<E> some = new ArrayList<>(count(slice));
        for (int i = starts[slice]; i < starts[slice + 1]; i++) {
            some.add(list.get(order[i]));
        }
        return some;
    }

    /** Sets each element of a slice's answer at every position of its key. */
    <E> void scatter(int slice, List<E> answer, List<E> target) {
        for (int i = 0; i < answer.size(); i++) {
            target.set(position(starts[slice] + i), answer.get(i));
        }
        if (repeats != null) {
            repeats.ofSlice(slice).scatter(answer, target);
        }
    }

    private int position(int i) {
        return order == null ? i : order[i];
    }

    /**
     * Groups rows of different lengths by slice. There is one row for each of the caller's keys, and no key is folded.
     */
    RaggedRows ragged(String name, IntArray counts, SharedArray values) {
        int[] begins = RaggedRows.begins(counts, PsException.Code.BAD_REQUEST, name);
        int total = begins[positions()];
        if (values.length() != total) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    name + " length: " + values.length() + " (expected: " + total + ", the sum of its counts)");
        }
        int[] elementStarts = new int[starts.length];
        if (order == null) {
            for (int s = 1; s < starts.length; s++) {
                elementStarts[s] = begins[starts[s]];
            }
            return new RaggedRows(values, null, elementStarts);
        }
        int[] elements = new int[total];
        int at = 0;
        for (int s = 0; s + 1 < starts.length; s++) {
            for (int i = starts[s]; i < starts[s + 1]; i++) {
                for (int element = begins[order[i]]; element < begins[order[i] + 1]; element++) {
                    elements[at++] = element;
                }
            }
            elementStarts[s + 1] = at;
        }
        return new RaggedRows(values, elements, elementStarts);
    }

    /**
     * Returns the beginning of each row of a slice's answer with rows of different lengths, and the end of the last
     * row.
     */
    int[] answeredRows(int slice, IntArray counts) {
        int[] begins = new int[count(slice) + 1];
        for (int row = 0; row < begins.length - 1; row++) {
            begins[row + 1] = begins[row] + counts.get(position(starts[slice] + row));
        }
        return begins;
    }

    /**
     * Copies each row of a slice's answer with rows of different lengths to every position of its key.
     *
     * @param from the beginning of each row in the answer
     * @param begins the beginning of each position's row in the target
     */
    void scatterRagged(int slice, int[] from, int[] begins, SharedArray answer, SharedArray target) {
        for (int row = 0; row < from.length - 1; row++) {
            target.copyFrom(begins[position(starts[slice] + row)], answer.slice(from[row], from[row + 1]));
        }
        if (repeats != null) {
            repeats.ofSlice(slice).scatterRagged(from, begins, answer, target);
        }
    }
}
