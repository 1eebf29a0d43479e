package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.TensorInfo;
import java.util.Arrays;
import java.util.List;

/**
 * How a tensor's rows lie over slices, and which server owns each. Immutable.
 *
 * @param info the tensor
 * @param bounds [slices + 1], the first {@link #position} of each slice, ascending from 0, and the number of rows last
 * @param servers [slices], the rank of each slice's server
 * @param lanes what the lanes of its slices are chosen by, on each server: slice i of tensors of the same number has the
 *     same lane; the rows, or those of the tensor that it was made beside
 */
public record TensorLayout(TensorInfo info, List<Long> bounds, List<Integer> servers, long lanes) {
    public TensorLayout {
        bounds = List.copyOf(bounds);
        servers = List.copyOf(servers);
        if (servers.isEmpty()
                || bounds.size() != servers.size() + 1
                || bounds.get(0) != 0
                || bounds.get(servers.size()) != info.rows()) {
            throw new IllegalArgumentException("bounds: " + bounds + " over " + servers.size()
                    + " servers (expected: slices + 1 bounds from 0 to " + info.rows() + ")");
        }
    }

    /** The layout of a tensor that was not made beside another. */
    public TensorLayout(TensorInfo info, List<Long> bounds, List<Integer> servers) {
        this(info, bounds, servers, info.rows());
    }

    /** Splits a tensor into slices of equal size, give or take a row; slice i begins at {@code i * rows / n}. */
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

    /** Splits a tensor into as many slices as another has, on the same servers and lanes. */
    public static TensorLayout beside(TensorInfo info, TensorLayout other) {
        TensorLayout even =
                even(info, other.servers.stream().mapToInt(Integer::intValue).toArray());
        return new TensorLayout(info, even.bounds, other.servers, other.lanes);
    }

    /**
     * Whether slice i of both is on the same server and lane, for each i, so that one call may work on both. Which rows a
     * slice has may differ.
     */
    public boolean meets(TensorLayout other) {
        return lanes == other.lanes && servers.equals(other.servers);
    }

    /** Whether slice i of both has the same rows, too, for each i. */
    public boolean isAlignedWith(TensorLayout other) {
        return info.rows() == other.info.rows() && meets(other) && bounds.equals(other.bounds);
    }

    /** Shape, slices, first server and lanes on one line: all that layouts of evenly split tensors differ in. */
    public String text() {
        return info.shape() + " in " + slices() + (slices() == 1 ? " slice" : " slices") + " from server "
                + servers.get(0) + " on"
                + (lanes == info.rows()
                        ? ""
                        : ", beside " + (lanes == TensorInfo.GROWING ? "growing" : lanes + "") + " rows");
    }

    /**
     * Where a key stands among the rows of its tensor, which are split over the slices: its row is the key itself; a growing
     * table is split by the hash of its keys, so that any of them are spread evenly.
     *
     * @return from 0 to the tensor's rows, exclusive, if the key is one of the tensor's
     */
    public static long position(TensorInfo info, long key) {
        return info.grows() ? position(Routing.hash(key)) : key;
    }

    /** Where a key of this hash stands in a growing table: its upper 62 bits. */
    public static long position(long hash) {
        return hash >>> 2;
    }

    /**
     * Tells a slice from one of the same tensor in another shape: 16 bits of a hash, which a request carries and the
     * shard compares.
     */
    public static short stamp(TensorInfo info, Range range) {
        long hash = 31 * (31 * (31 * info.rows() + info.width()) + range.begin()) + range.end();
        return (short) ((hash * 0x9E3779B97F4A7C15L) >>> 48);
    }

    /** How many slices. */
    public int slices() {
        return servers.size();
    }

    /** Where the keys of a slice stand: the keys themselves, unless the tensor grows. */
    public Range range(int slice) {
        return new Range(bounds.get(slice), bounds.get(slice + 1));
    }

    /**
     * The length of an array that is row-aligned with the tensor.
     *
     * @throws PsException with {@code BAD_REQUEST} if no array can be that long, or the tensor grows
     */
    public int length(int width) {
        if (info.grows()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "the whole of tensor \"" + info.id() + "\", which grows (expected: a function by key)");
        }
        if (info.rows() > (Integer.MAX_VALUE - 8) / width) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "elements of the whole tensor: " + info.rows() + " rows x " + width
                            + " wide (expected: at most " + (Integer.MAX_VALUE - 8)
                            + " in one array; use a function by key)");
        }
        return (int) info.rows() * width;
    }
}
