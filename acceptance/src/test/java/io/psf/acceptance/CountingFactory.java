package io.psf.acceptance;

import io.psf.api.Member;
import io.psf.api.Shard;
import io.psf.runtime.server.shard.HostFactory;
import io.psf.runtime.server.shard.MadeShard;
import io.psf.runtime.server.shard.ShardFactory;
import io.psf.runtime.server.shard.ShardLane;
import io.psf.runtime.server.shard.Slice;
import io.psf.runtime.store.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Makes shards in the server's memory that count their reads. */
public final class CountingFactory implements ShardFactory {
    static final String COUNTING = "counting";

    @Override
    public Collection<String> placements(List<Integer> devices) {
        return List.of(COUNTING);
    }

    @Override
    public MadeShard make(Slice slice, Store store, ShardLane lane) {
        MadeShard host = new HostFactory().make(slice, store, lane);
        return new Counting(host, counting(host.shard()));
    }

    private record Counting(MadeShard host, CountingShard shard) implements MadeShard {
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

    private static CountingShard counting(Shard host) {
        long[] reads = new long[1];
        Set<Thread> threads = new HashSet<>(Set.of(Thread.currentThread()));
        return (CountingShard) java.lang.reflect.Proxy.newProxyInstance(
                CountingShard.class.getClassLoader(),
                new Class<?>[] {CountingShard.class},
                (self, method, arguments) -> {
                    if (method.getDeclaringClass() == CountingShard.class) {
                        return method.getName().equals("reads") ? (Object) reads[0] : (Object) threads.size();
                    }
                    threads.add(Thread.currentThread());
                    if (method.getName().equals("values")) {
                        reads[0]++;
                    }
                    return invoke(host, method, arguments);
                });
    }

    private static Object invoke(Shard host, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(host, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
