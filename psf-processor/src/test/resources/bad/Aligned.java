package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

/** Layouts where they cannot stand, and widths that are none. */
@PsFunction("bad.aligned")
public interface Aligned {
  record Request(
      TensorId tensor,
      @ByRange float[] copied, // ERROR [PsfLayoutType]
      @ByRange float scalar, // ERROR [PsfLayoutType]
      @ByKey IntArray ints, // ERROR [PsfLayoutType]
      @Along("ints") String text, // ERROR [PsfLayoutType]
      @ByRange(width = -1) FloatArray narrow, // ERROR [PsfWidth]
      @Along(value = "ints", width = -2) FloatArray rows, // ERROR [PsfWidth]
      @ByRange
      @Along("ints")
      FloatArray both, // ERROR [PsfLayoutsSeveral]
      @ByKey(combine = Reduction.AND) LongArray and, // ERROR [PsfCombine]
      @ByKey(
          everySlice = true,
          combine = Reduction.OR) // ERROR [PsfCombine]
      LongArray or,
      @Reduce(Reduction.SUM) double sum) {} // ERROR [PsfReduceInRequest]

  record Response() {}

  Response handle(Request slice, Shard shard);
}
