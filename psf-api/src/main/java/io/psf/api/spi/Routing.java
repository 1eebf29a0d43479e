package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import io.psf.api.layout.Reduction;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The distribution of one call over the slices. Requests (gather) and answers (scatter) use the same object, so that
 * partition and merge cannot contradict each other. It is filled by {@link Function#route}, then sealed, then read. The
 * reading methods may be used by several threads.
 */
public final class Routing extends Parts {
    private static final KeySet[] NO_KEY_SETS = {};
    private static final SharedArray[] NO_ARRAYS = {};
    private static final RaggedRows[] NO_RAGGED = {};
    private static final int[] NONE = {};

    private KeySet[] keySets = NO_KEY_SETS;
    private SharedArray[] arrays = NO_ARRAYS;
    private int[] setOf = NONE;
    private int[] widths = NONE;
    private RaggedRows[] ragged = NO_RAGGED;

    private Routing(Routing other, List<TensorLayout> now) {
        super(other, now);
        this.keySets = Arrays.stream(other.keySets)
                .map(keys -> new KeySet(keys, at(keys.layout(), now)))
                .toArray(KeySet[]::new);
        this.arrays = other.arrays;
        this.setOf = other.setOf;
        this.widths = other.widths;
        this.ragged = other.ragged;
    }

    private Routing(@Nullable TensorLayout layout, java.util.function.Function<TensorId, TensorLayout> layouts) {
        super(layout, layouts);
    }

    /** Returns the routing of a call to a tensor's shards, with keys of that tensor only. */
    public static <Q> Routing overSlices(Function<Q, ?> function, Q request, TensorLayout layout) {
        return overSlices(function, request, layout, Routing::unknown);
    }

    private static TensorLayout unknown(TensorId tensor) {
        throw new PsException(
                PsException.Code.UNKNOWN_TENSOR,
                "tensor: \"" + tensor + "\" (expected: the tensor whose shards run the call)");
    }

    /**
     * Returns the routing of a call to a tensor's shards.
     *
     * @param layouts returns the layout of another tensor whose keys the request has, or throws
     * @throws PsException with {@code BAD_REQUEST} if another tensor's slices are not beside the first one's
     */
    public static <Q> Routing overSlices(
            Function<Q, ?> function,
            Q request,
            TensorLayout layout,
            java.util.function.Function<TensorId, TensorLayout> layouts) {
        Routing routing = new Routing(layout, layouts);
        function.route(request, routing);
        routing.seal(layout.slices(), routing.keySets);
        return routing;
    }

    /**
     * Returns the routing of the same parts of the same call by other layouts: each part has the same keys and rows.
     * Its request is written with the stamps of those layouts. Answers may be merged by either routing.
     *
     * @param now a layout of each tensor whose keys the call has, of the {@link TensorLayout#hasSlicesOf same slices}
     * @throws IllegalArgumentException if one of them is missing or of other slices
     */
    public Routing at(List<TensorLayout> now) {
        return new Routing(this, now);
    }

    /** Returns the routing of a call to whole nodes: part i is the i-th node. */
    public static Routing overNodes(int nodes) {
        Routing routing = new Routing(null, Routing::unknown);
        routing.seal(nodes, NO_KEY_SETS);
        return routing;
    }

    /**
     * The number of partitions of the keys that belong to no tensor. The cluster's state says which server owns each.
     */
    public static final int PARTITIONS = 1024;

    /** Returns the partition of a key that belongs to no tensor, from 0: the upper bits of its hash. */
    public static int partition(long key) {
        return (int) (TensorLayout.hash(key) >>> 54);
    }

    // Called by generated code to describe a request.

    /** Adds component {@code component}, which is row-aligned with the tensor. */
    public void range(int component, String name, SharedArray array, int width) {
        requireLength(name, array, rangeLength(width), layout().info().rows(), width(width));
        put(component, array, -1, width(width));
        everySlice();
    }

    /** Key set {@code set} of the request, of the tensor that the call runs on. */
    public void keys(int set, String name, LongArray keys, Reduction combine, boolean everySlice) {
        keys(set, name, keys, combine, everySlice, layout());
    }

    /**
     * Adds key set {@code set} of the request.
     *
     * @param of the layout of the tensor whose keys they are: {@link #layout()} or {@link #beside}
     */
    public void keys(int set, String name, LongArray keys, Reduction combine, boolean everySlice, TensorLayout of) {
        requireThere(name, keys);
        if (set >= keySets.length) {
            keySets = Arrays.copyOf(keySets, set + 1);
        }
        keySets[set] = new KeySet(name, keys, combine, everySlice, of);
    }

    /**
     * Adds key set {@code set} of the request, with one key in each element of a list.
     *
     * @param of the layout of the tensor whose keys they are: {@link #layout()} or {@link #beside}
     */
    public <E> void elements(
            int set, String name, List<E> list, ToLongFunction<E> key, boolean everySlice, TensorLayout of) {
        requireThere(name, list, "a list");
        long[] keys = new long[list.size()];
        int n = 0;
        for (E element : list) {
            if (element == null) {
                requireThere(name + "[" + n + "]", element, "an element");
            }
            keys[n++] = key.applyAsLong(element);
        }
        keys(set, name, LongArray.wrap(keys), Reduction.NONE, everySlice, of);
        keySets[set].setElements(List.copyOf(list));
    }

    /** Adds component {@code component}, whose rows go along key set {@code set}. */
    public void along(int component, String name, int set, SharedArray array, int width) {
        int elements = width(set, width);
        requireLength(name, array, alongLength(set, width), keySets[set].positions(), elements);
        put(component, array, set, elements);
    }

    /**
     * Adds component {@code component}, whose rows have the lengths in component {@code counts}, which goes along keys.
     */
    public void ragged(int component, String name, int counts, SharedArray array) {
        requireThere(name, array);
        if (component >= ragged.length) {
            ragged = Arrays.copyOf(ragged, component + 1);
        }
        if (setOf[counts] < 0 && array.length() == 0) {
            absent(component, array);
            return;
        } else if (setOf[counts] < 0) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    name + " length: " + array.length() + " (expected: 0, since its counts are null)");
        }
        ragged[component] = keySets[setOf[counts]].ragged(name, (IntArray) arrays[counts], array);
    }

    /** Adds component {@code component} of a later version, which is absent: every part gets an empty array. */
    public void absent(int component, SharedArray empty) {
        put(component, empty, -1, 0);
    }

    private void put(int component, SharedArray array, int set, int width) {
        if (component >= arrays.length) {
            arrays = Arrays.copyOf(arrays, component + 1);
            setOf = Arrays.copyOf(setOf, component + 1);
            widths = Arrays.copyOf(widths, component + 1);
        }
        arrays[component] = array;
        setOf[component] = set;
        widths[component] = width;
    }

    // Called by generated code that writes a slice of the request.

    /** Writes a part's share of a component, by range or along its keys. */
    public void write(int component, int part, TupleWriter out) {
        int slice = slice(part);
        if (component < ragged.length && ragged[component] != null) {
            ragged[component].write(slice, out);
            return;
        }
        int width = widths[component];
        var unused = out.rowsOf(width);
        if (setOf[component] >= 0) {
            keySets[setOf[component]].writeRows(slice, arrays[component], width, out);
        } else {
            out.range(arrays[component], begin(slice) * width, begin(slice + 1) * width);
        }
    }

    /**
     * Writes the stamp of the layout by which a key set is grouped. The shard beside compares it:
     * {@link TupleReader#stamped}.
     */
    public void writeStamp(int set, int part, TupleWriter out) {
        TensorLayout of = keySets[set].layout();
        out.i16(of.stamp(slice(part)));
    }

    /** Returns a part's share of a key set whose keys are in the elements of a list, in the caller's order. */
    public <E> List<E> elements(int set, int part) {
        return keySets[set].elements(slice(part));
    }

    /** Writes a part's share of a key set. */
    public void writeKeys(int set, int part, TupleWriter out) {
        keySets[set].writeKeys(slice(part), out);
    }

    // Called by generated code that merges answers.

    /** Returns the number of elements of an array that is row-aligned with the tensor. */
    public int rangeLength(int width) {
        return layout().length(width(width));
    }

    /** Returns the number of elements of an array along a key set, in the caller's order. */
    public int alongLength(int set, int width) {
        long length = (long) keySets[set].positions() * width(set, width);
        if (length > Integer.MAX_VALUE - 8) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "elements along the keys: " + keySets[set].positions() + " keys x " + width(set, width)
                            + " wide (expected: at most " + (Integer.MAX_VALUE - 8) + ")");
        }
        return (int) length;
    }

    /** Checks and returns an array that the caller passed to be filled. */
    public <A extends SharedArray> A target(String name, @Nullable A into, int expected) {
        if (into == null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST, "into." + name + ": null (expected: " + expected + " elements)");
        }
        if (into.length() != expected) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "length of into." + name + ": " + into.length() + " (expected: " + expected + ")");
        }
        return into;
    }

    /** Copies a part's answer to its rows in the target. */
    public void mergeRange(String name, int part, SharedArray answer, SharedArray target, int width) {
        int slice = slice(part);
        int w = width(width);
        requireAnswer(name, answer.length(), (begin(slice + 1) - begin(slice)) * w);
        target.copyFrom(begin(slice) * w, answer);
    }

    /** Copies each row of a part's answer to every position of its key. */
    public void mergeAlong(String name, int part, int set, SharedArray answer, SharedArray target, int width) {
        int slice = slice(part);
        requireAnswer(name, answer.length(), keySets[set].count(slice) * width(set, width));
        keySets[set].scatter(slice, answer, target, width(set, width));
    }

    /** Returns a list of nulls with one element for each key of a key set, in the caller's order. */
    @SuppressWarnings("unchecked") // the list has only nulls
    public <E> List<E> places(int set) {
        return (List<E>) Arrays.asList(new Object[keySets[set].positions()]);
    }

    /** Sets each element of a part's answer at every position of its key. */
    public <E> void mergeElements(String name, int part, int set, List<E> answer, List<E> target) {
        requireAnswer(name, answer.size(), keySets[set].count(slice(part)));
        keySets[set].scatter(slice(part), answer, target);
    }

    /** Sets a default for the elements of a part whose older server did not send them. */
    public <E> void clearElements(int part, int set, E empty, List<E> target) {
        int slice = slice(part);
        keySets[set].scatter(slice, Collections.nCopies(keySets[set].count(slice), empty), target);
    }

    /** Zeroes the rows of a part whose older server did not send them. */
    public void clearRange(int part, SharedArray target, int width) {
        int begin = begin(slice(part)) * width(width);
        int end = begin(slice(part) + 1) * width(width);
        target.copyFrom(begin, Concatenation.zeros(target.type(), end - begin));
    }

    /** Zeroes the rows along the keys of a part whose older server did not send them. */
    public void clearAlong(int part, int set, SharedArray target, int width) {
        int slice = slice(part);
        SharedArray zeros = Concatenation.zeros(target.type(), keySets[set].count(slice) * width(set, width));
        keySets[set].scatter(slice, zeros, target, width(set, width));
    }

    /**
     * Merges the parts' rows of different lengths into one array, in the caller's order. A row that its server did not
     * send is zeros.
     *
     * @param name the component, for errors
     * @param counts the rows' lengths, merged
     * @param answers the answers by part, on-heap
     */
    public <A extends SharedArray> A mergeRagged(
            String name, int set, IntArray counts, @Nullable A[] answers, IntFunction<A> allocate) {
        int[] begins = RaggedRows.begins(counts, PsException.Code.HANDLER_FAILED, name);
        int[][] rows = new int[answers.length][];
        for (int part = 0; part < answers.length; part++) {
            A answer = answers[part];
            if (answer != null) { // checked before any allocation: the lengths come from the servers
                rows[part] = keySets[set].answeredRows(slice(part), counts);
                requireAnswer(name, answer.length(), rows[part][rows[part].length - 1]);
            }
        }
        A target = allocate.apply(begins[counts.length()]);
        for (int part = 0; part < answers.length; part++) {
            A answer = answers[part];
            if (answer != null) {
                keySets[set].scatterRagged(slice(part), rows[part], begins, answer, target);
            }
        }
        return target;
    }

    /** Returns the number of elements in a row along keys; 0 means the width of the tensor whose keys they are. */
    private int width(int set, int width) {
        return width == 0 ? keySets[set].layout().info().width() : width;
    }

    private static void requireLength(String name, SharedArray array, int expected, long rows, int width) {
        requireThere(name, array);
        if (array.length() != expected) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    name + " length: " + array.length() + " (expected: " + expected + " = " + rows + " rows x " + width
                            + " wide)");
        }
    }

    /** Rejects null: the caller's code may not have been checked for nulls. */
    private static void requireThere(String name, @Nullable SharedArray array) {
        requireThere(name, array, "an array");
    }

    static void requireAnswer(String name, int actual, int expected) {
        if (actual != expected) {
            throw new PsException(
                    PsException.Code.HANDLER_FAILED,
                    "length of " + name + " in the handler's answer: " + actual + " (expected: " + expected + ")");
        }
    }
}
