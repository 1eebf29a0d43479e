package io.psf.gpu.driver;

import io.psf.api.PsException;
import java.util.ArrayList;
import java.util.List;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of a device, to which memory is mapped piece by piece: an array in it grows without being copied, and
 * without memory for two of it. Used by one thread, whose current device is the reservation's device.
 */
public final class Reservation {
    private final Device device;
    private final Mapping mapping;
    private final Address begin;
    private final long length;
    /** The pieces' sizes. Their handles were released when they were mapped: the mapping keeps the memory. */
    private final List<Long> pieces = new ArrayList<>();

    private long mapped;

    /** A pointer whose value is accessible. */
    private static final class Address extends CUdeviceptr {
        long value() {
            return getNativePointer();
        }
    }

    private Reservation(Device device, Mapping mapping, Address begin, long length) {
        this.device = device;
        this.mapping = mapping;
        this.begin = begin;
        this.length = length;
    }

    /**
     * Reserves addresses, without memory.
     *
     * @param bytes the most bytes that will be mapped
     * @return null if the device does not map memory
     */
    static @Nullable Reservation of(Device device, long bytes) {
        Mapping mapping = Mapping.find();
        long granularity = device.granularity();
        if (mapping == null || granularity == 0) {
            return null;
        }
        long length = roundedUp(bytes, granularity);
        Address begin = new Address();
        int result = JCudaDriver.cuMemAddressReserve(begin, length, 0, new CUdeviceptr(), 0);
        return result == 0 ? new Reservation(device, mapping, begin, length) : null;
    }

    /** Returns the size in bytes of which pieces are multiples; 0 if the device does not map memory. */
    static long granularity(int device) {
        Mapping mapping = Mapping.find();
        return mapping == null ? 0 : mapping.granularity(device);
    }

    private static long roundedUp(long bytes, long granularity) {
        return (bytes + granularity - 1) / granularity * granularity;
    }

    /** Returns the address of the first byte. */
    public long address() {
        return begin.value();
    }

    /** Returns the number of bytes that have memory. */
    public long bytes() {
        return mapped;
    }

    /**
     * Maps memory for at least so many bytes in all; that which is mapped stays as it is. The idle blocks of the device
     * are given back to it where it has too little.
     *
     * @param what the use, for the message
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the device, or the reservation, has too little; then
     *     nothing has changed
     */
    public void extend(long bytes, String what) {
        long wanted = roundedUp(bytes, device.granularity());
        if (wanted <= mapped) {
            return;
        }
        if (wanted > length) {
            throw device.exhausted(bytes, what);
        }
        long piece = wanted - mapped;
        long[] handle = new long[1];
        int result = mapping.create(handle, piece, device.number());
        if (result == Loader.OUT_OF_MEMORY && device.trim()) {
            result = mapping.create(handle, piece, device.number());
        }
        if (result == Loader.OUT_OF_MEMORY) {
            throw device.exhausted(piece, what);
        }
        Cuda.check(result, "memory of " + device + " for " + what);
        try {
            map(handle[0], piece, what);
        } finally {
            mapping.release(handle[0]);
        }
        pieces.add(piece);
        mapped = wanted;
    }

    private void map(long handle, long piece, String what) {
        long to = address() + mapped;
        Cuda.check(mapping.map(to, piece, handle), "mapping of memory of " + device + " for " + what);
        int result = mapping.access(to, piece, device.number());
        if (result != 0) {
            JCudaDriver.cuMemUnmap(Block.pointer(to), piece);
            throw Cuda.failure(result, "access to memory of " + device + " for " + what);
        }
    }

    /** Gives memory and addresses up. No work uses them. */
    public void free() {
        long at = address();
        for (long piece : pieces) {
            JCudaDriver.cuMemUnmap(Block.pointer(at), piece);
            at += piece;
        }
        pieces.clear();
        mapped = 0;
        JCudaDriver.cuMemAddressFree(begin, length);
    }
}
