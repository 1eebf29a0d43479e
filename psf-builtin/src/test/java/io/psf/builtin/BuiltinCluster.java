package io.psf.builtin;

import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePush;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.dense.DensePushPull;
import io.psf.builtin.dense.DensePushPullPsf;
import io.psf.builtin.sparse.PullBags;
import io.psf.builtin.sparse.PullBagsPsf;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePush;
import io.psf.builtin.sparse.SparsePushDensePull;
import io.psf.builtin.sparse.SparsePushDensePullPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.builtin.sparse.SparsePushPull;
import io.psf.builtin.sparse.SparsePushPullPsf;
import io.psf.builtin.tensor.Clear;
import io.psf.builtin.tensor.ClearPsf;
import io.psf.builtin.tensor.InitTensor;
import io.psf.builtin.tensor.InitTensorPsf;
import io.psf.builtin.tensor.ListTensors;
import io.psf.builtin.tensor.ListTensorsPsf;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;

/** The functions of {@link Tensors} on a test's cluster, without tensors. */
final class BuiltinCluster {
    private BuiltinCluster() {}

    static PsfTest<InitTensor.Request, InitTensor.Response> functions() {
        return PsfTest.of(InitTensorPsf.bind(new InitTensor() {}))
                .and(ListTensorsPsf.bind(new ListTensors() {}))
                .and(ClearPsf.bind(new Clear() {}))
                .and(DensePushPsf.bind(new DensePush() {}))
                .and(DensePullPsf.bind(new DensePull() {}))
                .and(DensePushPullPsf.bind(new DensePushPull() {}))
                .and(SparsePushPsf.bind(new SparsePush() {}))
                .and(SparsePullPsf.bind(new SparsePull() {}))
                .and(PullBagsPsf.bind(new PullBags() {}))
                .and(SparsePushPullPsf.bind(new SparsePushPull() {}))
                .and(SparsePushDensePullPsf.bind(new SparsePushDensePull() {}));
    }

    static TestCluster with(TensorSpec spec, int servers) {
        TestCluster cluster = functions().on(servers);
        Tensors.init(cluster, spec);
        return cluster;
    }
}
