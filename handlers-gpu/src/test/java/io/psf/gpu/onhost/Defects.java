package io.psf.gpu.onhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.gpu.Grid;
import io.psf.gpu.driver.Block;
import io.psf.gpu.driver.Device;
import io.psf.gpu.driver.Event;
import io.psf.gpu.driver.Module;
import io.psf.gpu.driver.PinnedMemory;
import io.psf.gpu.driver.Stream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.stream.IntStream;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Programs with defects, which the driver on the host finds, and without them, in which it finds nothing. */
@ExtendWith(OnHostDriver.class)
class Defects {
    private static final String PTX = """
            .version 7.0
            .target sm_75
            .address_size 64
            .visible .entry copy_floats(
            )
            .visible .entry block_sums(
            )
            """;

    private static final int FLOATS = 1000;
    private static final int BYTES = FLOATS * Float.BYTES;
    private static final int ROUNDS = 50;

    private final Device device = Device.of(0);

    @BeforeEach
    void use() {
        device.use();
    }

    private ByteBuffer pinned() {
        return Objects.requireNonNull(PinnedMemory.allocate(device, BYTES));
    }

    private static void fill(ByteBuffer floats, float value) {
        for (int i = 0; i < FLOATS; i++) {
            floats.putFloat(i * Float.BYTES, value);
        }
    }

    /** True if the floats are equal to a value: another order of work, or none, gives others. */
    private static boolean isFull(ByteBuffer floats, float value) {
        return IntStream.range(0, FLOATS).allMatch(i -> floats.getFloat(i * Float.BYTES) == value);
    }

    /**
     * Copies values in on one stream, by a kernel of another one, and out. Returns the number of rounds that were
     * right.
     */
    private int rounds(boolean kernelWaits, boolean hostWaits) {
        Module module = device.module(PTX, "defects");
        Block from = device.allocate(BYTES, "from");
        Block to = device.allocate(BYTES, "to");
        ByteBuffer in = pinned();
        ByteBuffer out = pinned();
        int right = 0;
        try (Stream copies = new Stream();
                Stream kernels = new Stream();
                Event copied = Event.create()) {
            for (int round = 1; round <= ROUNDS; round++) {
                fill(in, round);
                copies.copyIn(in, from.address());
                copies.record(copied);
                if (kernelWaits) {
                    kernels.await(copied);
                }
                kernels.launch(module, "copy_floats", new Grid(2, 64, 0), from.address(), to.address(), FLOATS);
                kernels.copyOut(to.address(), out);
                if (hostWaits) {
                    kernels.synchronize();
                }
                right += isFull(out, round) ? 1 : 0;
                kernels.synchronize();
                copies.synchronize();
            }
        }
        device.free(from);
        device.free(to);
        return right;
    }

    @Test
    void workThatWaitsForCopiesIsRight() throws IOException {
        assertThat(rounds(true, true)).isEqualTo(ROUNDS);
        assertThat(OnHostDriver.violations()).isEmpty();
    }

    @Test
    void aKernelThatDoesNotWaitForACopyOfAnotherStreamIsFound() {
        assertThat(rounds(false, true)).isBetween(1, ROUNDS - 5);
    }

    @Test
    void aHostThatDoesNotWaitForAStreamIsFound() {
        assertThat(rounds(true, false)).isLessThan(ROUNDS - 5);
    }

    @Test
    void memoryHasNoContentAtFirst() {
        Block block = device.allocate(2 * BYTES, "fresh");
        ByteBuffer out = pinned();
        try (Stream stream = new Stream()) {
            stream.copyOut(block.address(), out);
            stream.synchronize();
        }
        assertThat(IntStream.range(0, FLOATS)).allMatch(i -> Float.isNaN(out.getFloat(i * Float.BYTES)));
        device.free(block);
    }

    @Test
    void copiesAndFillsOutsideTheirMemoryAreRefused() throws IOException {
        Block block = device.allocate(BYTES, "block");
        ByteBuffer bytes = pinned();
        long host = 1L << 45; // an address that the driver gives to nothing
        try (Stream stream = new Stream()) {
            assertThatThrownBy(() -> stream.copyIn(bytes, block.address() + 256))
                    .hasMessageContaining("INVALID_VALUE");
            assertThatThrownBy(() -> stream.copyOut(block.address() - 4, bytes)).hasMessageContaining("INVALID_VALUE");
            assertThatThrownBy(() -> stream.fill(block.address(), block.bytes() + 4, 0))
                    .hasMessageContaining("INVALID_VALUE");
            assertThatThrownBy(() -> stream.fill(host, 4, 0)).hasMessageContaining("INVALID_VALUE");
            assertThatThrownBy(() -> stream.copy(block.address(), block.address() + 8, 16))
                    .hasMessageContaining("INVALID_VALUE");
            stream.fill(block.address(), block.bytes(), 0); // none of them has failed the device
            stream.synchronize();
        }
        device.free(block);
        assertThat(OnHostDriver.violations()).contains("(expected: memory of a device)", "overlap");
    }

    @Test
    void memoryThatIsFreedBeforeItsWorkHasEndedIsFound() throws IOException {
        CUdeviceptr pointer = new CUdeviceptr();
        assertThat(JCudaDriver.cuMemAlloc(pointer, 64)).isZero();
        assertThat(JCudaDriver.cuMemFree(pointer)).isZero();
        assertThat(JCudaDriver.cuMemsetD32(pointer, 0, 16)).isEqualTo(1);
        assertThat(OnHostDriver.violations()).contains("of memory that was freed");
        assertThat(JCudaDriver.cuMemFree(pointer)).isEqualTo(1);
    }

    @Test
    void textThatIsNoPtxIsRefused() {
        assertThatThrownBy(() -> device.module("nonsense", "nonsense.ptx"))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("nonsense.ptx")
                .hasMessageContaining("INVALID_PTX");
        Module module = device.module(PTX + ".visible .entry absent()\n", "defects");
        try (Stream stream = new Stream()) {
            for (String kernel : new String[] {"absent", "write_at"}) { // no code, and not named by the PTX
                assertThatThrownBy(() -> stream.launch(module, kernel, Grid.one(1)))
                        .hasMessageContaining("\"" + kernel + "\": not in defects");
            }
        }
    }

    @Test
    void blocksHaveBarriersSharedMemoryAndWarps() throws IOException {
        int blocks = 3;
        ByteBuffer out = pinned().limit(3 * blocks * Integer.BYTES);
        Block sums = device.allocate(out.limit(), "sums");
        try (Stream stream = new Stream()) {
            for (int round = 0; round < 8; round++) {
                for (int threads : new int[] {32, 256}) {
                    stream.fill(sums.address(), out.limit(), 0);
                    long at = sums.address();
                    stream.launch(
                            device.module(PTX, "defects"),
                            "block_sums",
                            new Grid(blocks, threads, 0),
                            at,
                            at + 12,
                            at + 24);
                    stream.copyOut(at, out);
                    stream.synchronize();
                    for (int i = 0; i < blocks; i++) {
                        assertThat(out.getInt(4 * i)).isEqualTo(threads * (threads - 1) / 2);
                        assertThat(out.getInt(12 + 4 * i)).isEqualTo(threads * (threads - 1) / 2);
                        assertThat(out.getInt(24 + 4 * i)).isEqualTo(threads / 2);
                    }
                }
            }
        }
        device.free(sums);
        assertThat(OnHostDriver.violations()).isEmpty();
    }
}
