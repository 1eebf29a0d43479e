package io.psf.testkit;

import io.psf.api.Member;
import io.psf.api.spi.Caller;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the shards and nodes of a test have in common.
 *
 * @param members everybody in the cluster
 * @param lane runs all work, one piece at a time
 * @param clock whose time the test moves
 * @param onward makes the calls of handlers
 * @param checkpoints the directory for checkpoints; null for none
 */
record TestPlaces(
        List<Member> members,
        TestLane lane,
        TestClock clock,
        Caller onward,
        @Nullable Path checkpoints) {
    TestPlaces {
        members = List.copyOf(members);
    }
}
