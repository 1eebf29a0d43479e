package io.psf.runtime.spi.shard;

import io.psf.api.Member;
import io.psf.api.Shard;
import io.psf.api.spi.ForwardingShard;
import io.psf.api.spi.StoredShard;
import java.util.List;

/**
 * A shard around a shard that another factory or {@link ShardLane#inHostMemory} has made: it forwards every method. A
 * subclass overrides the methods that it counts, logs or changes, and implements the interface of its kind, if it has
 * one. Handlers see the subclass.
 */
public abstract class WrappingShard extends ForwardingShard implements MadeShard {
    private final MadeShard made;

    /**
     * Creates a shard around another one.
     *
     * @throws IllegalArgumentException if the other one is not a {@link StoredShard}
     */
    protected WrappingShard(MadeShard made) {
        super(stored(made.shard()));
        this.made = made;
    }

    private static StoredShard stored(Shard shard) {
        if (shard instanceof StoredShard stored) {
            return stored;
        }
        throw new IllegalArgumentException(
                "shard to wrap: " + shard.getClass().getName() + " (expected: a StoredShard, which can be saved)");
    }

    @Override
    public final Shard shard() {
        return this;
    }

    @Override
    public void moveToLane() {
        made.moveToLane();
    }

    @Override
    public void membersChanged(List<Member> now) {
        made.membersChanged(now);
    }

    @Override
    public void giveUp() {
        made.giveUp();
    }
}
