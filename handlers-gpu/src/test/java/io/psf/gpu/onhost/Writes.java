package io.psf.gpu.onhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.gpu.Grid;
import io.psf.gpu.driver.Device;
import io.psf.gpu.driver.Stream;
import java.io.IOException;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Kernels that write where they must not: each fails its device for good, so each has one of its own. */
@ExtendWith(OnHostDriver.class)
class Writes {
    private static final String PTX = ".version 7.0\n.target sm_75\n.visible .entry write_at(\n)\n";

    private static final class Pointer extends CUdeviceptr {
        long address() {
            return getNativePointer();
        }
    }

    /** Runs the kernel. The launch has the error already if the kernel runs at once. */
    private static void run(Device device, long address, int index) {
        Stream stream = new Stream();
        stream.launch(device.module(PTX, "writes"), "write_at", Grid.one(32), address, index);
        stream.synchronize();
    }

    /** Writes one float of memory of 100 floats: the message of the log. */
    private static String write(int number, int index) throws IOException {
        Device device = Device.of(number);
        device.use();
        Pointer floats = new Pointer();
        assertThat(JCudaDriver.cuMemAlloc(floats, 400)).isZero();
        assertThatThrownBy(() -> run(device, floats.address(), index))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("write_at<<<1, 32>>>")
                .hasMessageContaining("ILLEGAL_ADDRESS");
        assertThat(JCudaDriver.cuMemAlloc(new Pointer(), 4)).as("a later call").isEqualTo(700);
        return OnHostDriver.violations();
    }

    @Test
    void behindTheEndOfMemory() throws IOException {
        assertThat(write(0, 100)).contains("kernel write_at, argument 0: memory of 400 bytes: written behind its end");
    }

    @Test
    void beforeTheBeginOfMemory() throws IOException {
        assertThat(write(1, -1)).contains("kernel write_at, argument 0: memory of 400 bytes: written before its begin");
    }

    @Test
    void farBehind() throws IOException {
        assertThat(write(2, 128))
                .contains("kernel write_at: access to address 0x")
                .contains("bytes behind 400 bytes");
    }

    @Test
    void toAddressZero() throws IOException {
        Device device = Device.of(3);
        device.use();
        assertThatThrownBy(() -> run(device, 0, 1)).hasMessageContaining("ILLEGAL_ADDRESS");
        assertThat(OnHostDriver.violations()).contains("access to address 0x4, which this driver did not give");
        Device.of(4).use();
        new Stream().synchronize(); // the other device goes on, and so does the JVM: its own signals are its own
        Object nothing = System.getProperty("absent");
        assertThatThrownBy(() -> nothing.hashCode()).isInstanceOf(NullPointerException.class);
    }

    @Test
    void aPointerToAnotherDevice() throws IOException {
        Device.of(4).use();
        Pointer elsewhere = new Pointer();
        assertThat(JCudaDriver.cuMemAlloc(elsewhere, 400)).isZero();
        Device device = Device.of(5);
        device.use();
        assertThatThrownBy(() -> run(device, elsewhere.address(), 0)).hasMessageContaining("ILLEGAL_ADDRESS");
        assertThat(OnHostDriver.violations()).contains("device 4 (expected: device 5)");
    }
}
