package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

/** Keys that servers produce: nothing is sent by them, and requests do not know them. */
@PsFunction("bad.produced")
public interface Produced {
  record Request(TensorId tensor, @Along("found") FloatArray early) {} // ERROR [PsfAlongUnknown]

  record Response(
      @ByKey LongArray found,
      @ByKey(combine = Reduction.SUM) LongArray folded, // ERROR [PsfKeysInResponse]
      @ByKey(everySlice = true) LongArray every, // ERROR [PsfKeysInResponse]
      @ByKey IntArray ints, // ERROR [PsfLayoutType]
      @Along("fund") FloatArray misspelt, // ERROR [PsfAlongUnknown]
      @Along(value = "found", width = -1) FloatArray narrow, // ERROR [PsfWidth]
      @Along("found") float[] copied) {} // ERROR [PsfLayoutType]

  Response handle(Request slice, Shard shard);
}
