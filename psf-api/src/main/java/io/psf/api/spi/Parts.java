package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The slices or nodes that get a part of a call, and the layouts of the tensors whose keys the call has. A runtime
 * sends one request to each part. Parts are numbered from 0. A {@link Routing} also has the call's keys and arrays.
 */
public abstract sealed class Parts permits Routing {
    private final @Nullable TensorLayout layout;
    private final java.util.function.Function<TensorId, TensorLayout> layouts;
    /** The layouts of the other tensors, besides the call's own, whose keys the call has. */
    private List<TensorLayout> others = List.of();

    private boolean everySlice;
    private int parts;
    /** The slice of each part; null if part i is slice i, for each i. */
    private int @Nullable [] touched;

    Parts(@Nullable TensorLayout layout, java.util.function.Function<TensorId, TensorLayout> layouts) {
        this.layout = layout;
        this.layouts = layouts;
    }

    /** Creates the parts of a call by other layouts of the same slices. */
    Parts(Parts other, List<TensorLayout> now) {
        this.layout = at(other.layout(), now);
        this.layouts = other.layouts;
        this.others = other.others.stream().map(layout -> at(layout, now)).toList();
        this.everySlice = other.everySlice;
        this.parts = other.parts;
        this.touched = other.touched;
    }

    /** Returns the one of some layouts that is of the same slices of the same tensor. */
    static TensorLayout at(TensorLayout before, List<TensorLayout> now) {
        for (TensorLayout layout : now) {
            if (layout.info().id().equals(before.info().id()) && layout.hasSlicesOf(before)) {
                return layout;
            }
        }
        throw new IllegalArgumentException(
                "layouts: none for tensor " + before.info().id() + " as " + before.text() + " (expected: one)");
    }

    /** Returns the tensor on whose shards the call runs; null if it runs on nodes. */
    public final @Nullable TensorInfo tensor() {
        return layout == null ? null : layout.info();
    }

    // Called by generated code to describe a request.

    /** Sends the request to every slice, regardless of the keys. */
    public final void everySlice() {
        everySlice = true;
    }

    /**
     * Returns the layout of another tensor whose keys the request has.
     *
     * @param name the component that names the tensor
     * @throws PsException with {@code BAD_REQUEST} if its slices do not meet the slices of the tensor that the call
     *     runs on
     */
    public final TensorLayout beside(String name, TensorId tensor) {
        requireThere(name, tensor, "the id of a tensor that has been initialized");
        TensorLayout first = layout();
        if (tensor.equals(first.info().id())) {
            return first;
        }
        for (TensorLayout known : others) {
            if (tensor.equals(known.info().id())) {
                return known;
            }
        }
        TensorLayout other = layouts.apply(tensor);
        if (!other.meets(first)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "slices of tensor " + tensor + ": " + other.text() + " (expected: beside the slices of "
                            + first.info().id() + ", " + first.text()
                            + "; make one of them with TensorSpec.beside the other)");
        }
        List<TensorLayout> all = new ArrayList<>(others);
        all.add(other);
        others = List.copyOf(all);
        return other;
    }

    /** Finds the parts: the slices that the keys touch, or every slice. */
    final void seal(int slices, KeySet[] keySets) {
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

    // Called by a runtime.

    /** Returns the number of slices or nodes that get a request: parts are numbered from 0. */
    public final int parts() {
        return parts;
    }

    /** Returns the slice or node of a part. */
    public final int slice(int part) {
        return touched == null ? part : touched[part];
    }

    /** Returns the part of a slice or node; negative if it gets no request. */
    public final int part(int slice) {
        if (touched == null) {
            return slice < parts ? slice : -1;
        }
        return Arrays.binarySearch(touched, 0, parts, slice);
    }

    /** True if the call runs on a tensor's shards or has keys of the tensor. */
    public final boolean concerns(TensorId tensor) {
        if (layout != null && layout.info().id().equals(tensor)) {
            return true;
        }
        for (TensorLayout other : others) {
            if (other.info().id().equals(tensor)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the layouts of the other tensors, besides the call's own, whose keys the call has. */
    public final List<TensorLayout> others() {
        return others;
    }

    /** Returns the layout of the tensor that the call runs on. */
    public final TensorLayout layout() {
        if (layout == null) {
            throw new IllegalStateException("layouts: used in a function that runs on nodes (expected: on shards)");
        }
        return layout;
    }

    /** Returns the number of elements in a row; 0 means the tensor's width. */
    public final int width(int width) {
        return width == 0 ? layout().info().width() : width;
    }

    /** Returns the first row of a slice. */
    final int begin(int slice) {
        return Math.toIntExact(layout().bounds().get(slice));
    }

    /** Rejects null: the caller's code may not have been checked for nulls. */
    static void requireThere(String name, @Nullable Object value, String expected) {
        if (value == null) {
            throw new PsException(PsException.Code.BAD_REQUEST, name + ": null (expected: " + expected + ")");
        }
    }
}
