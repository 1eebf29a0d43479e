package io.psf.gpu.driver;

import static jcuda.driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
import static jcuda.driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_RECOMMENDED;
import static jcuda.driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED;
import static jcuda.driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import org.jspecify.annotations.Nullable;

/**
 * The functions of the driver that map memory to addresses, through JNA: JCuda 12.6 leaves bytes of {@code
 * CUmemAllocationProp} undefined and passes a wrong location to {@code cuMemSetAccess}, so that the driver refuses
 * both. Thread-safe.
 */
final class Mapping {
    private static final int BYTES_OF_PROPERTIES = 32;
    private static final int BYTES_OF_ACCESS = 12;

    private final Function granularity;
    private final Function create;
    private final Function map;
    private final Function access;
    private final Function release;

    /** Found once; null if JNA or the driver does not have it. */
    private static final class Found {
        static final @Nullable Mapping MAPPING = find();

        private static @Nullable Mapping find() {
            try {
                return new Mapping(NativeLibrary.getInstance("libcuda.so.1"));
            } catch (LinkageError e) { // UnsatisfiedLinkError for a library or a function that is missing
                return null;
            }
        }
    }

    private Mapping(NativeLibrary driver) {
        this.granularity = driver.getFunction("cuMemGetAllocationGranularity");
        this.create = driver.getFunction("cuMemCreate");
        this.map = driver.getFunction("cuMemMap");
        this.access = driver.getFunction("cuMemSetAccess");
        this.release = driver.getFunction("cuMemRelease");
    }

    /** Returns the functions; null if there are none. */
    static @Nullable Mapping find() {
        return Found.MAPPING;
    }

    /** {@code CUmemAllocationProp} of memory of a device. */
    private static Memory properties(int device) {
        Memory properties = new Memory(BYTES_OF_PROPERTIES);
        properties.clear();
        properties.setInt(0, CU_MEM_ALLOCATION_TYPE_PINNED);
        properties.setInt(8, CU_MEM_LOCATION_TYPE_DEVICE);
        properties.setInt(12, device);
        return properties;
    }

    /** Returns the size in bytes of which mapped memory is a multiple; 0 if the device does not map memory. */
    long granularity(int device) {
        Memory size = new Memory(Long.BYTES);
        try (Memory properties = properties(device)) {
            int result = granularity.invokeInt(new Object[] {size, properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED});
            return result == 0 ? size.getLong(0) : 0;
        } finally {
            size.close();
        }
    }

    /**
     * Takes memory of a device.
     *
     * @param handle its first element is written
     * @return the {@code CUresult}
     */
    int create(long[] handle, long bytes, int device) {
        Memory created = new Memory(Long.BYTES);
        try (Memory properties = properties(device)) {
            int result = create.invokeInt(new Object[] {created, bytes, properties, 0L});
            handle[0] = created.getLong(0);
            return result;
        } finally {
            created.close();
        }
    }

    /** Maps memory to reserved addresses. Returns the {@code CUresult}. */
    int map(long address, long bytes, long handle) {
        return map.invokeInt(new Object[] {address, bytes, 0L, handle, 0L});
    }

    /** Lets a device read and write mapped addresses. Returns the {@code CUresult}. */
    int access(long address, long bytes, int device) {
        try (Memory description = new Memory(BYTES_OF_ACCESS)) {
            description.setInt(0, CU_MEM_LOCATION_TYPE_DEVICE);
            description.setInt(4, device);
            description.setInt(8, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
            return access.invokeInt(new Object[] {address, bytes, description, 1L});
        }
    }

    /** Gives a handle up; memory that is mapped stays until it is unmapped. */
    void release(long handle) {
        release.invokeInt(new Object[] {handle});
    }
}
