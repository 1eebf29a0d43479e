package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import io.psf.api.layout.Reduction;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One call's way over the slices, the same for what goes out (gather) and what comes back (scatter): so that partition
 * and merge cannot contradict each other. Filled by {@link Function#route}, then sealed, then read; the reading methods
 * may be used by several threads.
 */
public final class Routing {
    private static final KeySet[] NO_KEY_SETS = {};
    private static final SharedArray[] NO_ARRAYS = {};
    private static final RaggedRows[] NO_RAGGED = {};
    private static final int[] NONE = {};

    private final @Nullable TensorLayout layout;
    private KeySet[] keySets = NO_KEY_SETS;
    private SharedArray[] arrays = NO_ARRAYS;
    private int[] setOf = NONE;
    private int[] widths = NONE;
    private RaggedRows[] ragged = NO_RAGGED;
    private boolean everySlice;
    private int parts;
    /** The slice of each part; null if part i is slice i. */
    private int @Nullable [] touched;

    private Routing(@Nullable TensorLayout layout) {
        this.layout = layout;
    }

    /** The routing of a call to a tensor's shards. */
    public static <Q> Routing overSlices(Function<Q, ?> function, Q request, TensorLayout layout) {
        Routing routing = new Routing(layout);
        function.route(request, routing);
        routing.seal(layout.slices());
        return routing;
    }

    /** The routing of a call to whole nodes: part i is the i-th node. */
    public static Routing overNodes(int nodes) {
        Routing routing = new Routing(null);
        routing.seal(nodes);
        return routing;
    }

    /**
     * A key's bits mixed as SplitMix64 does (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014),
     * so that keys which follow one another spread; no two keys have the same hash.
     */
    public static long hash(long key) {
        long mixed = (key ^ (key >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** The rank of the server that owns a key of no tensor, the same for every worker. */
    public static int owner(long key, int servers) {
        return (int) Long.remainderUnsigned(hash(key), servers);
    }

    // What generated code says of a request.

    /** Every slice is touched, whatever the keys. */
    public void everySlice() {
        everySlice = true;
    }

    /** Component {@code component} is row-aligned with the tensor. */
    public void range(int component, String name, SharedArray array, int width) {
        requireLength(name, array, rangeLength(width), layout().info().rows(), width(width));
        put(component, array, -1, width(width));
        everySlice = true;
    }

    /** Key set {@code set} of the request. */
    public void keys(int set, String name, LongArray keys, Reduction combine, boolean everySlice) {
        requireThere(name, keys);
        if (set >= keySets.length) {
            keySets = Arrays.copyOf(keySets, set + 1);
        }
        keySets[set] = new KeySet(name, keys, combine, everySlice, layout());
    }

    /** Component {@code component} goes along key set {@code set}. */
    public void along(int component, String name, int set, SharedArray array, int width) {
        requireLength(name, array, alongLength(set, width), keySets[set].positions(), width(width));
        put(component, array, set, width(width));
    }

    /** Component {@code component} has rows as long as component {@code counts} says, which goes along keys. */
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
                    name + " length: " + array.length() + " (expected: 0, since its counts are not there)");
        }
        ragged[component] = keySets[setOf[counts]].ragged(name, (IntArray) arrays[counts], array);
    }

    /** Component {@code component}, of a later version, is not there: every part gets it empty. */
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

    private void seal(int slices) {
        if (everySlice || keySets.length == 0) {
            parts = slices;
            return;
        }
        int[] some = new int[slices];
        for (int slice = 0; slice < slices; slice++) {
            boolean touches = false;
            for (KeySet set : keySets) {
                touches |= set.touches(slice);
            }
            if (touches) {
                some[parts++] = slice;
            }
        }
        touched = some;
    }

    // What a runtime asks.

    /** How many slices or nodes are touched: parts are numbered from 0. */
    public int parts() {
        return parts;
    }

    /** The slice or node of a part. */
    public int slice(int part) {
        return touched == null ? part : touched[part];
    }

    /** The part that goes to a slice or node; negative if none does. */
    public int part(int slice) {
        if (touched == null) {
            return slice < parts ? slice : -1;
        }
        return Arrays.binarySearch(touched, 0, parts, slice);
    }

    // What generated code asks when it writes a slice of the request.

    /** Writes a part's share of a component, by range or along its keys. */
    public void write(int component, int part, TupleWriter out) {
        int slice = slice(part);
        if (component < ragged.length && ragged[component] != null) {
            ragged[component].write(slice, out);
            return;
        }
        int width = widths[component];
        if (setOf[component] >= 0) {
            keySets[setOf[component]].writeRows(slice, arrays[component], width, out);
        } else {
            out.range(arrays[component], begin(slice) * width, begin(slice + 1) * width);
        }
    }

    /** Writes a part's share of a key set. */
    public void writeKeys(int set, int part, TupleWriter out) {
        keySets[set].writeKeys(slice(part), out);
    }

    // What generated code asks when it merges answers.

    /** Elements of an array that is row-aligned with the tensor. */
    public int rangeLength(int width) {
        return layout().length(width(width));
    }

    /** Elements of an array along a key set, in the caller's order. */
    public int alongLength(int set, int width) {
        long length = (long) keySets[set].positions() * width(width);
        if (length > Integer.MAX_VALUE - 8) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "elements along the keys: " + keySets[set].positions() + " keys x " + width(width)
                            + " wide (expected: at most " + (Integer.MAX_VALUE - 8) + ")");
        }
        return (int) length;
    }

    /** Checks an array that the caller gave to be filled. */
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

    /** Copies a part's answer to where its rows stand. */
    public void mergeRange(String name, int part, SharedArray answer, SharedArray target, int width) {
        int slice = slice(part);
        int w = width(width);
        requireAnswer(name, answer.length(), (begin(slice + 1) - begin(slice)) * w);
        target.copyFrom(begin(slice) * w, answer);
    }

    /** Copies each row of a part's answer to every position that its key stands at. */
    public void mergeAlong(String name, int part, int set, SharedArray answer, SharedArray target, int width) {
        int slice = slice(part);
        requireAnswer(name, answer.length(), keySets[set].count(slice) * width(width));
        keySets[set].scatter(slice, answer, target, width(width));
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
        SharedArray zeros = Concatenation.zeros(target.type(), keySets[set].count(slice) * width(width));
        keySets[set].scatter(slice, zeros, target, width(width));
    }

    /**
     * One array of the parts' rows of different lengths, in the caller's order; a row that its server did not send is
     * zero.
     *
     * @param name the component, for errors
     * @param counts the rows' lengths, merged
     * @param answers by part, on the heap
     */
    public <A extends SharedArray> A mergeRagged(
            String name, int set, IntArray counts, @Nullable A[] answers, IntFunction<A> allocate) {
        int[] begins = RaggedRows.begins(counts, PsException.Code.HANDLER_FAILED, name);
        int[][] rows = new int[answers.length][];
        for (int part = 0; part < answers.length; part++) {
            A answer = answers[part];
            if (answer != null) { // before anything is allocated: the lengths are what servers said
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

    private int begin(int slice) {
        return Math.toIntExact(layout().bounds().get(slice));
    }

    /** Elements in a row; 0 stands for the tensor's width. */
    public int width(int width) {
        return width == 0 ? layout().info().width() : width;
    }

    private TensorLayout layout() {
        if (layout == null) {
            throw new IllegalStateException("layouts: used in a function that runs on nodes (expected: on shards)");
        }
        return layout;
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

    /** The caller may be code that no null checker has seen. */
    private static void requireThere(String name, @Nullable SharedArray array) {
        if (array == null) {
            throw new PsException(PsException.Code.BAD_REQUEST, name + ": null (expected: an array)");
        }
    }

    static void requireAnswer(String name, int actual, int expected) {
        if (actual != expected) {
            throw new PsException(
                    PsException.Code.HANDLER_FAILED,
                    "length of " + name + " in the handler's answer: " + actual + " (expected: " + expected + ")");
        }
    }
}
