package io.psf.gpu.driver;

import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR;
import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;

import io.psf.api.PsException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device and its primary context, which is retained for the life of the JVM. Each thread that uses the device calls
 * {@link #use} first. Thread-safe.
 */
public final class Device {
    private static final Logger LOG = LoggerFactory.getLogger(Device.class);

    /** The most bytes of a block that is kept for reuse. */
    private static final long MOST_IDLE = 64L << 20;

    /** A load of kernels that takes longer, in milliseconds, is logged. */
    private static final long LONG_LOAD = 500;

    private static final Map<Integer, Device> OPEN = new ConcurrentHashMap<>();
    /** The device whose context is the thread's current one. */
    private static final ThreadLocal<@Nullable Device> CURRENT = new ThreadLocal<>();

    private final int number;
    private final String name;
    private final int capability;
    private final int processors;
    private final long memory;
    private final long granularity;
    private final CUcontext context = new CUcontext();
    private final Map<String, Module> modules = new ConcurrentHashMap<>();
    /** Blocks that are not in use, by length. Guarded by this. */
    private final TreeMap<Long, List<Block>> idle = new TreeMap<>();
    /** The streams that are open on this device. */
    private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
    /** The error after which the driver fails every call of this process; null before. */
    private volatile @Nullable String lost;

    private Device(int number) {
        this.number = number;
        CUdevice device = new CUdevice();
        Cuda.check(JCudaDriver.cuDeviceGet(device, number), "device " + number);
        byte[] text = new byte[256];
        Cuda.check(JCudaDriver.cuDeviceGetName(text, text.length, device), "name of device " + number);
        this.name = new String(text, StandardCharsets.UTF_8).split("\0", 2)[0].strip();
        this.capability = 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
                + attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        this.processors = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        Cuda.check(JCudaDriver.cuDevicePrimaryCtxRetain(context, device), "context of device " + number);
        long[] total = new long[1];
        Cuda.check(JCudaDriver.cuDeviceTotalMem(total, device), "memory of device " + number);
        this.memory = total[0];
        this.granularity = Reservation.granularity(number);
    }

    /**
     * Returns a device. CUDA must be {@link Cuda#unavailable available}.
     *
     * @throws PsException with {@code CONFIGURATION} if there is none of that number, with {@code INTERNAL} if the
     *     driver fails
     */
    public static Device of(int number) {
        if (number < 0 || number >= Loader.count()) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "device " + number + ": not there (expected: 0 to " + (Loader.count() - 1) + ")");
        }
        return OPEN.computeIfAbsent(number, Device::new);
    }

    private int attribute(CUdevice device, int attribute) {
        int[] value = new int[1];
        Cuda.check(
                JCudaDriver.cuDeviceGetAttribute(value, attribute, device),
                "attribute " + attribute + " of device " + number);
        return value[0];
    }

    /** Returns the device's number, from 0. */
    public int number() {
        return number;
    }

    /** Returns the name that the driver gives the device. */
    public String name() {
        return name;
    }

    /** Returns the device's whole memory in bytes. */
    public long memory() {
        return memory;
    }

    /** Returns ten times the major part of the compute capability, plus the minor part: 90 for 9.0. */
    public int capability() {
        return capability;
    }

    /** Returns the number of multiprocessors. */
    public int processors() {
        return processors;
    }

    /** Returns the size in bytes of which mapped memory is a multiple; 0 if the device does not map memory. */
    public long granularity() {
        return granularity;
    }

    /**
     * Reserves addresses for memory that is mapped later.
     *
     * @param bytes the most bytes that will be mapped
     * @return null if the device does not map memory
     */
    public @Nullable Reservation reserve(long bytes) {
        return Reservation.of(this, bytes);
    }

    /** Makes this device the current device of the thread. */
    public void use() {
        if (CURRENT.get() != this) {
            Cuda.check(JCudaDriver.cuCtxSetCurrent(context), toString());
            CURRENT.set(this);
        }
    }

    /**
     * Returns the reason, as a clause, why the device is of no use to this process any more; empty as long as it is.
     */
    public Optional<String> lost() {
        return Optional.ofNullable(lost);
    }

    /**
     * Marks the current thread's device as lost, once, if an error is one after which the driver fails every call.
     *
     * @return what failed first on that device, for the message; {@code what} if it is not lost
     */
    static String failed(int result, String what) {
        Device device = CURRENT.get();
        return device == null ? what : device.marked(result, what);
    }

    private synchronized String marked(int result, String what) {
        if (lost == null && Loader.isFinal(result)) {
            lost = this + " is lost: " + what + launched(what) + ": " + Loader.text(result);
            LOG.error("{}; the memory of its shards is lost, too", lost);
        }
        return lost == null ? what : what + " (" + lost + ")";
    }

    /** Returns the last kernels of all streams except the named one: any of them may have failed. */
    private String launched(String named) {
        String others = streams.stream()
                .map(Stream::last)
                .filter(each -> !each.isEmpty() && !named.endsWith(each))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return others.isEmpty() ? "" : " (last of other streams: " + others + ")";
    }

    /** Notes a stream of the current thread's device. */
    static void opened(Stream stream) {
        Device device = CURRENT.get();
        if (device != null) {
            device.streams.add(stream);
        }
    }

    /** Forgets a stream. */
    static void closed(Stream stream) {
        OPEN.values().forEach(device -> device.streams.remove(stream));
    }

    /** Returns the free memory in bytes, without idle blocks of this class. */
    public long free() {
        long[] free = new long[1];
        Cuda.check(JCudaDriver.cuMemGetInfo(free, new long[1]), "memory of " + this);
        return free[0];
    }

    /**
     * Allocates memory, its content undefined. An idle block of about that length is reused. If the device has too
     * little memory, its idle blocks are given back to it first.
     *
     * @param what the use, for the message
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the device has too little memory
     */
    public Block allocate(long bytes, String what) {
        long rounded = (Math.max(bytes, 1) + 255) & -256L;
        Block reused = reuse(rounded);
        if (reused != null) {
            return reused;
        }
        int[] result = new int[1];
        Block block = Block.allocate(rounded, result);
        if (result[0] == Loader.OUT_OF_MEMORY && trim()) {
            block = Block.allocate(rounded, result);
        }
        if (result[0] == Loader.OUT_OF_MEMORY) {
            throw exhausted(bytes, what);
        }
        Cuda.check(result[0], "memory of " + this + " for " + what);
        return block;
    }

    /** Returns the error of a request of memory that the device does not have. */
    PsException exhausted(long bytes, String what) {
        return new PsException(
                PsException.Code.RESOURCE_EXHAUSTED,
                "memory of " + this + " for " + what + ": " + bytes + " bytes (expected: at most the " + free()
                        + " that are free of " + memory + ")");
    }

    /** Returns an idle block that is at most an eighth longer; null if there is none. */
    private synchronized @Nullable Block reuse(long bytes) {
        Map.Entry<Long, List<Block>> fitting = idle.ceilingEntry(bytes);
        if (fitting == null || fitting.getKey() - bytes > bytes / 8) {
            return null;
        }
        List<Block> same = fitting.getValue();
        Block last = same.remove(same.size() - 1);
        if (same.isEmpty()) {
            idle.remove(fitting.getKey());
        }
        return last;
    }

    /** Leaves a block for reuse, or gives a long one back to the device. Work that uses the block has ended. */
    public synchronized void free(Block block) {
        if (block.bytes() > MOST_IDLE) {
            JCudaDriver.cuMemFree(block.pointer());
            return;
        }
        idle.computeIfAbsent(block.bytes(), bytes -> new ArrayList<>()).add(block);
    }

    /** Gives the idle blocks back to the device. Returns true if there were any. */
    public synchronized boolean trim() {
        boolean any = !idle.isEmpty();
        idle.values().forEach(same -> same.forEach(block -> JCudaDriver.cuMemFree(block.pointer())));
        idle.clear();
        return any;
    }

    /**
     * Returns a module, which is loaded once: the driver compiles the PTX for this device.
     *
     * @param ptx the PTX
     * @param what the PTX's name, for messages
     * @throws PsException with {@code INTERNAL} if the driver does not accept it
     */
    public Module module(String ptx, String what) {
        return module(ptx, what, () -> null);
    }

    /**
     * Returns a module, which is loaded once.
     *
     * @param ptx the PTX
     * @param what the PTX's name, for messages
     * @param assembled returns what was assembled of the PTX for this device, or null: it is loaded faster
     * @throws PsException with {@code INTERNAL} if the driver does not accept the PTX
     */
    public Module module(String ptx, String what, Supplier<byte @Nullable []> assembled) {
        return modules.computeIfAbsent(ptx, text -> {
            long began = System.nanoTime();
            byte[] binary = assembled.get();
            Module known = binary == null ? null : Module.load(binary, text, what);
            if (known != null) {
                return known;
            }
            Module compiled = Module.load(text, what, toString());
            long millis = (System.nanoTime() - began) / 1_000_000;
            if (millis > LONG_LOAD) {
                LOG.info(
                        "{}: the driver has taken {} ms for {}, and keeps the result if CUDA_CACHE_PATH, by default"
                                + " ~/.nv/ComputeCache, is writable",
                        this,
                        millis,
                        what);
            }
            return compiled;
        });
    }

    /** Returns the reason why the device cannot run psf's kernels; empty if it can. */
    public Optional<String> tooOld() {
        return capability < 75
                ? Optional.of(this + " has compute capability " + capability / 10 + "." + capability % 10
                        + " (expected: at least 7.5)")
                : Optional.empty();
    }

    /** Returns number and name, for messages. */
    @Override
    public String toString() {
        return "device " + number + " (" + name + ")";
    }
}
