package io.psf.runtime.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.runtime.spi.transport.Channel;
import io.psf.simulation.Interleavings;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CallPartsInterleavingsTest {
    private static final Merge<String> MERGE = new Merge<>() {
        @Override
        public void add(int part, TupleReader in) {}

        @Override
        public String result() {
            return "";
        }
    };

    private static Channel channel() {
        return (Channel) Proxy.newProxyInstance(
                Channel.class.getClassLoader(),
                new Class<?>[] {Channel.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "isOpen" -> true;
                    case "hashCode" -> System.identityHashCode(self);
                    case "equals" -> self == arguments[0];
                    default -> null;
                });
    }

    /** The caller sends a part while other threads connect to its peer again. */
    @Test
    void aPartIsSentOnceOverAChannelAndOverTheLastOneForCertain() {
        Interleavings.check(threads -> {
            Channel[] channels = {channel(), channel(), channel()};
            Peer peer = new Peer(channels[0], "server 0");
            peer.onDisconnect(again -> {});
            CallParts<String> parts = new CallParts<>(Routing.overNodes(1), new Peer[] {peer}, MERGE);
            Map<Channel, Integer> sent = new HashMap<>();
            threads.start(() -> send(parts, peer, false, sent));
            threads.start(() -> {
                for (int next = 1; next < channels.length; next++) {
                    peer.disconnect(channels[next - 1]);
                    int epoch = peer.replace(channels[next]);
                    do {
                        send(parts, peer, true, sent);
                    } while (!peer.connect(() -> !parts.waitFor(peer, epoch)));
                }
            });
            threads.await();
            assertThat(sent.values()).containsOnly(1);
            assertThat(sent).containsKey(channels[2]);
        });
    }

    private static void send(CallParts<String> parts, Peer peer, boolean again, Map<Channel, Integer> sent) {
        Channel over = parts.claim(0, peer, again);
        if (over != null) {
            sent.merge(over, 1, Integer::sum);
        }
    }
}
