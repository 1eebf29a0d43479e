package io.psf.gpu.shard;

import io.psf.gpu.driver.Device;
import java.util.HashMap;
import java.util.Map;

/**
 * The resources that all shards of one lane on one device share: streams, scratch memory, and copiers. Used by the lane's
 * own thread.
 */
final class DeviceLane {
    private static final ThreadLocal<Map<Device, DeviceLane>> OF_THREAD = ThreadLocal.withInitial(HashMap::new);

    private final Workspace workspace;
    private final Pieces pieces;
    private final Pulls pulls;
    private final HandlerMemory handlerMemory;
    /** The number of shards that use this. */
    private int users;

    private DeviceLane(Device device) {
        this.workspace = new Workspace(device);
        this.pieces = new Pieces(workspace);
        this.pulls = new Pulls(workspace);
        this.handlerMemory = new HandlerMemory(workspace);
    }

    /** Returns what the current thread has on a device, for one more shard. */
    static DeviceLane acquire(Device device) {
        device.use();
        DeviceLane there = OF_THREAD.get().computeIfAbsent(device, DeviceLane::new);
        there.users++;
        return there;
    }

    /** Gives it up for one shard. */
    void release() {
        workspace.device().use();
        if (--users == 0) {
            OF_THREAD.get().remove(workspace.device());
            workspace.settle();
            handlerMemory.free();
            workspace.close();
        }
    }

    Workspace workspace() {
        return workspace;
    }

    /** Copies long arrays. */
    Pieces pieces() {
        return pieces;
    }

    /** Does the pulls of a chain together. */
    Pulls pulls() {
        return pulls;
    }

    HandlerMemory handlerMemory() {
        return handlerMemory;
    }
}
