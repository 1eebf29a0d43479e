package io.psf.testkit;

import io.psf.api.Caller;
import io.psf.api.Member;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The objects that the shards and nodes of a test share.
 *
 * @param members all members of the cluster
 * @param lane the lane that runs all work, sequentially
 * @param clock the clock that the test advances
 * @param onward the caller for handlers
 * @param reading the read-only function that is handled
 * @param tensors the tensors and their shards
 * @param checkpoints the checkpoint directory; null for none
 */
record TestPlaces(
        List<Member> members,
        TestLane lane,
        TestClock clock,
        Caller onward,
        TestReading reading,
        TestTensors tensors,
        @Nullable Path checkpoints) {
    TestPlaces {
        members = List.copyOf(members);
    }
}
