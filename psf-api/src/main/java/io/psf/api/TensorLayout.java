package io.psf.api;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The distribution of a tensor's rows over slices, and the servers of each slice. The first of a slice's servers owns
 * it and answers the calls on it. Immutable.
 *
 * @param info the tensor
 * @param bounds [slices + 1], the first {@link #position} of each slice, ascending from 0; the last element is the
 *     number of rows
 * @param servers [slices], the rank of each slice's first server
 * @param copies [slices], the ranks of each slice's other servers, in order; [0] if no slice has others
 * @param lanes the number by which each server chooses the lanes of the slices: slice i of all tensors with the same
 *     number is on the same lane. It is the tensor's number of rows, or the number of the tensor beside which this
 *     tensor was created
 * @param declared the epoch of the cluster's state in which the tensor was declared; 0 outside of a cluster
 * @param version the epoch of the cluster's state in which the tensor was placed so; 0 outside of a cluster
 */
public record TensorLayout(
        TensorInfo info,
        List<Long> bounds,
        List<Integer> servers,
        List<List<Integer>> copies,
        long lanes,
        long declared,
        long version) {
    public TensorLayout {
        bounds = List.copyOf(bounds);
        servers = List.copyOf(servers);
        copies = copies.stream().allMatch(List::isEmpty)
                ? List.of()
                : copies.stream().map(List::copyOf).toList();
        if (servers.isEmpty()
                || bounds.size() != servers.size() + 1
                || bounds.get(0) != 0
                || bounds.get(servers.size()) != info.rows()) {
            throw new IllegalArgumentException("bounds: " + bounds + " over " + servers.size()
                    + " servers (expected: slices + 1 bounds from 0 to " + info.rows() + ")");
        }
        if (!copies.isEmpty() && copies.size() != servers.size()) {
            throw new IllegalArgumentException("slices with a list of copies: " + copies.size() + " (expected: 0 or "
                    + servers.size() + ", every slice)");
        }
    }

    /** Creates the layout of a tensor that no cluster has declared, with one server for each slice. */
    public TensorLayout(TensorInfo info, List<Long> bounds, List<Integer> servers, long lanes) {
        this(info, bounds, servers, List.of(), lanes, 0, 0);
    }

    /** Creates the layout of a tensor that was not created beside another. */
    public TensorLayout(TensorInfo info, List<Long> bounds, List<Integer> servers) {
        this(info, bounds, servers, info.rows());
    }

    /** Returns this layout for a tensor that is declared and placed in an epoch. */
    public TensorLayout declaredIn(long epoch) {
        return new TensorLayout(info, bounds, servers, copies, lanes, epoch, epoch);
    }

    /**
     * Returns the layout of the same slices at other servers.
     *
     * @param servers [slices], the rank of each slice's first server
     * @param copies [slices], the ranks of each slice's other servers; [0] if no slice has others
     * @param epoch the epoch in which the slices are placed there
     */
    public TensorLayout movedIn(long epoch, List<Integer> servers, List<List<Integer>> copies) {
        return new TensorLayout(info, bounds, servers, copies, lanes, declared, epoch);
    }

    /** Splits a tensor into slices of equal size, to within one row; slice i begins at {@code i * rows / n}. */
    public static TensorLayout even(TensorInfo info, int[] servers) {
        Long[] bounds = new Long[servers.length + 1];
        for (int i = 0; i <= servers.length; i++) {
            bounds[i] = Math.multiplyHigh(info.rows(), i) == 0 && info.rows() * i >= 0
                    ? info.rows() * i / servers.length
                    : (long) ((double) info.rows() * i / servers.length);
        }
        bounds[servers.length] = info.rows();
        return new TensorLayout(
                info, List.of(bounds), Arrays.stream(servers).boxed().toList());
    }

    /** Splits a tensor into as many slices as another tensor has, on the same servers and lanes. */
    public static TensorLayout beside(TensorInfo info, TensorLayout other) {
        TensorLayout even =
                even(info, other.servers.stream().mapToInt(Integer::intValue).toArray());
        return new TensorLayout(info, even.bounds, other.servers, other.copies, other.lanes, 0, 0);
    }

    /** Returns the rank of the server that owns a slice and answers the calls on it. */
    public int server(int slice) {
        return servers.get(slice);
    }

    /** Returns the ranks of a slice's servers; the first one is {@link #server(int)}. */
    public List<Integer> servers(int slice) {
        if (copies.isEmpty()) {
            return List.of(servers.get(slice));
        }
        return Stream.concat(Stream.of(servers.get(slice)), copies.get(slice).stream())
                .toList();
    }

    /**
     * True if both are layouts of one declaration of a tensor with the same slices, so that slice i of both has the
     * same rows with the same values. The slices may be at other servers. False if the tensor was cleared and declared
     * again between the two.
     */
    public boolean hasSlicesOf(TensorLayout other) {
        return declared == other.declared && info.equals(other.info) && bounds.equals(other.bounds);
    }

    /**
     * True if slice i of both layouts is owned by the same server and on the same lane, for each i, so that one call
     * can work on both. The slices may have different rows.
     */
    public boolean meets(TensorLayout other) {
        return lanes == other.lanes && servers.equals(other.servers);
    }

    /** True if slice i of both layouts also has the same rows, for each i. */
    public boolean isAlignedWith(TensorLayout other) {
        return info.rows() == other.info.rows() && meets(other) && bounds.equals(other.bounds);
    }

    /**
     * Returns shape, slices, first server and lanes on one line: everything in which layouts of evenly split tensors
     * can differ.
     */
    public String text() {
        return info.shape() + " in " + slices() + (slices() == 1 ? " slice" : " slices") + " from server "
                + servers.get(0) + " on"
                + (lanes == info.rows()
                        ? ""
                        : ", beside " + (lanes == TensorInfo.GROWING ? "growing" : lanes + "") + " rows");
    }

    /**
     * Returns a key's position among the rows of its tensor, which are split over the slices. The position is the key
     * itself. In a growing table it is derived from the key's hash, so that any set of keys is spread evenly.
     *
     * @return from 0 to the tensor's number of rows, exclusive, if the key is a key of the tensor
     */
    public static long position(TensorInfo info, long key) {
        return info.grows() ? position(hash(key)) : key;
    }

    /**
     * Returns the hash of a key: its bits mixed by SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
     * number generators", 2014), so that consecutive keys are spread. No two keys have the same hash.
     */
    public static long hash(long key) {
        long mixed = (key ^ (key >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Returns the position in a growing table of a key with the given hash: the hash's upper 62 bits. */
    public static long position(long hash) {
        return hash >>> 2;
    }

    /**
     * Returns a stamp that distinguishes a slice from a slice of the same tensor in another shape, at another server,
     * or of another version: 16 bits of a hash. A request carries the stamp, and the shard compares it.
     */
    public short stamp(int slice) {
        long hash = 31 * (31 * (31 * info.rows() + info.width()) + bounds.get(slice)) + bounds.get(slice + 1);
        hash = 31 * hash + servers.get(slice) * 0xBF58476D1CE4E5B9L + version * 0x94D049BB133111EBL;
        return (short) ((hash * 0x9E3779B97F4A7C15L) >>> 48);
    }

    /** Returns the number of slices. */
    public int slices() {
        return servers.size();
    }

    /** Returns the positions of a slice: its keys themselves, unless the tensor grows. */
    public Range range(int slice) {
        return new Range(bounds.get(slice), bounds.get(slice + 1));
    }

    /**
     * Returns the length of an array that is row-aligned with the tensor.
     *
     * @param width the number of elements in a row of the array, at least 1
     * @throws IllegalArgumentException if the width is less than 1
     * @throws PsException with {@code BAD_REQUEST} if no array can be that long, or the tensor grows
     */
    public int length(int width) {
        if (width < 1) {
            throw new IllegalArgumentException("width: " + width + " (expected: >= 1)");
        }
        if (info.grows()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "all rows of tensor \"" + info.id() + "\", which grows (expected: a function with @ByKey)");
        }
        if (info.rows() > (Integer.MAX_VALUE - 8) / width) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "elements of the whole tensor: " + info.rows() + " rows x " + width
                            + " wide (expected: at most " + (Integer.MAX_VALUE - 8)
                            + " in one array; use a function with @ByKey)");
        }
        return (int) info.rows() * width;
    }
}
