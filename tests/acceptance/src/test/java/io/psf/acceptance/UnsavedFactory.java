package io.psf.acceptance;

import io.psf.api.Member;
import io.psf.api.Shard;
import io.psf.runtime.spi.shard.MadeShard;
import io.psf.runtime.spi.shard.ShardFactory;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;

/** Makes shards in the server's memory that are a {@link Shard} alone, and cannot be saved. */
public final class UnsavedFactory implements ShardFactory {
    static final String UNSAVED = "unsaved";

    @Override
    public Collection<String> placements(List<Integer> devices) {
        return List.of(UNSAVED);
    }

    @Override
    public MadeShard make(Slice slice, Store store, ShardLane lane) {
        MadeShard host = lane.inHostMemory(slice, store);
        Shard plain = (Shard) Proxy.newProxyInstance(
                Shard.class.getClassLoader(), new Class<?>[] {Shard.class}, (self, method, arguments) -> {
                    try {
                        return method.invoke(host.shard(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return new Unsaved(host, plain);
    }

    private record Unsaved(MadeShard host, Shard shard) implements MadeShard {
        @Override
        public void moveToLane() {
            host.moveToLane();
        }

        @Override
        public void membersChanged(List<Member> now) {
            host.membersChanged(now);
        }

        @Override
        public void giveUp() {
            host.giveUp();
        }
    }
}
