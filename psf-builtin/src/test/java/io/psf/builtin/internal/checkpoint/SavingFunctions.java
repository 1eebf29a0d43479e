package io.psf.builtin.internal.checkpoint;

import io.psf.testkit.PsfTest;

/** The functions that save and load a tensor, for tests on shards of the test kit. */
public final class SavingFunctions {
    private SavingFunctions() {}

    /** Adds the functions to those of a test. */
    public static PsfTest<?, ?> with(PsfTest<?, ?> test) {
        return test.and(SaveModelPsf.bind(new SaveModel() {}))
                .and(FreezeModelPsf.bind(new FreezeModel() {}))
                .and(WrittenModelPsf.bind(new WrittenModel() {}))
                .and(LoadModelPsf.bind(new LoadModel() {}))
                .and(ReadModelPsf.bind(new ReadModel() {}));
    }
}
