package io.psf.gpu.shard;

import io.psf.gpu.driver.Block;
import io.psf.gpu.driver.Device;
import java.nio.ByteBuffer;

/**
 * Memory of the device for one benchmark, and the workspace of the current thread. Given back to the device in the end.
 */
final class Lent implements AutoCloseable {
    private final DeviceLane ofDevice;
    private final Workspace workspace;
    private final ShardMemory memory;

    Lent(Device device) {
        this.ofDevice = DeviceLane.acquire(device);
        this.workspace = ofDevice.workspace();
        this.memory = new ShardMemory(workspace);
    }

    Workspace workspace() {
        return workspace;
    }

    ShardMemory memory() {
        return memory;
    }

    /** Returns the address of memory whose 32-bit words have the given bits. */
    long filled(long bytes, int bits) {
        Block block = memory.allocate(bytes, "a benchmark");
        workspace.stream().fill(block.address(), bytes, bits);
        workspace.stream().synchronize();
        return block.address();
    }

    /** Returns the address of a copy of memory of the host. */
    long copied(ByteBuffer bytes) {
        Block block = memory.allocate(bytes.remaining(), "a benchmark");
        workspace.stream().copyIn(bytes, block.address());
        workspace.stream().synchronize();
        return block.address();
    }

    @Override
    public void close() {
        memory.freeAll();
        ofDevice.release();
        workspace.device().trim();
    }
}
