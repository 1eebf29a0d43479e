"""The estimators of psf for PySpark, with servers in the executors of the application.

    from psf_spark import PsLogisticRegression

    regression = PsLogisticRegression(keysCol="keys", labelCol="clicked", maxIter=20)
    model = regression.fit(impressions)
    model.transform(others).write.parquet("hdfs:///scores/clicks")
    model.release()

Params, their defaults and their checks are those of the classes of the same name in io.psf.spark.ml: a param is a
keyword of the constructor, and has a setter and a getter (setKeysCol, getKeysCol). explainParams() lists them.
Spark Connect has no access to the driver's JVM, and cannot use this module.
"""

from collections import namedtuple

from pyspark import SparkContext
from pyspark.ml import PipelineModel
from pyspark.ml.common import _java2py, _py2java
from pyspark.ml.param import TypeConverters
from pyspark.ml.util import JavaMLReadable, JavaMLReader, JavaMLWritable
from pyspark.ml.wrapper import JavaEstimator, JavaModel, JavaParams, JavaTransformer
from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "PsDeepFM",
    "PsDeepFMModel",
    "PsFactorizationMachine",
    "PsFactorizationMachineModel",
    "PsFeatureHasher",
    "PsLinearRegression",
    "PsLinearRegressionModel",
    "PsLinearSVC",
    "PsLinearSVCModel",
    "PsLogisticRegression",
    "PsLogisticRegressionModel",
    "PsMatrixFactorization",
    "PsMatrixFactorizationModel",
    "PsRandomWalks",
    "PsWord2Vec",
    "PsWord2VecModel",
    "load_pipeline",
    "start",
]

_PACKAGE = "io.psf.spark.ml."

_CONVERTERS = {
    "BooleanParam": TypeConverters.toBoolean,
    "DoubleParam": TypeConverters.toFloat,
    "IntArrayParam": TypeConverters.toListInt,
    "IntParam": TypeConverters.toInt,
    "LongParam": TypeConverters.toInt,
    "Param": TypeConverters.toString,
    "StringArrayParam": TypeConverters.toListString,
}


TrainingSummary = namedtuple("TrainingSummary", ["objectiveHistory", "validationHistory", "areaHistory"])


class _Reader(JavaMLReader):
    @classmethod
    def _java_loader_class(cls, clazz):
        return _PACKAGE + clazz.__name__

    def onServers(self):
        """Lets load put the weights on the servers, until the model is released."""
        self._jread.onServers()
        return self


class _PsParams(JavaParams, JavaMLReadable, JavaMLWritable):
    """An object whose params are those of its Java object."""

    def _take_params(self):
        self._create_params_from_java()
        for param in self.params:
            java_param = self._java_obj.getParam(param.name)
            param.typeConverter = _CONVERTERS[java_param.getClass().getSimpleName()]
        self._transfer_params_from_java()

    def setParams(self, **params):
        """Sets params by their names."""
        unknown = sorted(name for name in params if not self.hasParam(name))
        if unknown:
            names = ", ".join(param.name for param in self.params)
            raise TypeError(f"params: {', '.join(unknown)} (expected: of {names})")
        self._set(**params)
        self._transfer_params_to_java()
        return self

    def __getattr__(self, name):
        prefix, param = name[:3], name[3:4].lower() + name[4:]
        if prefix in ("get", "set") and param and self.hasParam(param):
            if prefix == "set":
                return lambda value: self.setParams(**{param: value})
            return lambda: self.getOrDefault(param)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    @classmethod
    def read(cls):
        """Returns a reader of objects that were saved, also by Java or Scala."""
        return _Reader(cls)


class _PsStage(_PsParams):
    """An estimator or a transformer."""

    def __init__(self, **params):
        super().__init__()
        self._java_obj = self._new_java_obj(_PACKAGE + type(self).__name__, self.uid)
        self._take_params()
        self.setParams(**params)

    @classmethod
    def _from_java(cls, java_stage):
        stage = cls()
        stage._java_obj = java_stage
        stage._resetUid(java_stage.uid())
        stage._transfer_params_from_java()
        return stage


class _PsEstimator(_PsStage, JavaEstimator):
    def setInitialModel(self, model):
        """Lets a fit begin with the weights of a model, which does not change. Not of PsWord2Vec."""
        self._java_obj.setInitialModel(model._java_obj)
        return self

    def _create_model(self, java_model):
        return globals()[type(self).__name__ + "Model"](java_model)


class _PsModel(_PsParams, JavaModel):
    def __init__(self, java_model=None):
        super().__init__(java_model)
        if java_model is not None:
            self._take_params()

    @classmethod
    def _from_java(cls, java_stage):
        return cls(java_stage)

    def exported(self):
        """Returns a model that has its weights itself, and scores without servers."""
        return type(self)(self._java_obj.exported())

    def release(self):
        """Frees the weights on the servers. This model and its copies score no more unless they are exported."""
        self._java_obj.release()

    @staticmethod
    def _frame(java_frame):
        return DataFrame(java_frame, SparkSession.active())


class _PsScorer(_PsModel):
    @property
    def epochs(self):
        """The number of epochs of the training; 0 if the model was loaded."""
        return self._java_obj.epochs()

    @property
    def isExported(self):
        """True if the model has its weights itself."""
        return self._java_obj.isExported()

    @property
    def intercept(self):
        """The weight that all rows have in common; 0 if there is none."""
        return self._java_obj.intercept()

    @property
    def hasSummary(self):
        """True if the model was trained, and not loaded."""
        return self._java_obj.hasSummary()

    @property
    def summary(self):
        """How the training went: objectiveHistory, validationHistory and areaHistory, lists of an item an epoch."""
        java_summary = self._java_obj.summary()
        return TrainingSummary(*(list(getattr(java_summary, name)()) for name in TrainingSummary._fields))

    def getWeights(self):
        """Returns a frame of the weights that are not 0: key, weight and, of a factorization machine, factors.

        Of several classes it has the columns key and weights.
        """
        return self._frame(self._java_obj.getWeights())


class _PsLinearScorer(_PsScorer):
    @property
    def coefficients(self):
        """The weights of the features as a vector, if numFeatures is known and a feature has one weight."""
        return _java2py(SparkContext._active_spark_context, self._java_obj.coefficients())


class PsLogisticRegression(_PsEstimator):
    """Logistic regression of two or more classes, with FTRL or AdaGrad on the servers."""


class PsLogisticRegressionModel(_PsLinearScorer):
    """A model of PsLogisticRegression."""

    @property
    def numClasses(self):
        """The number of classes."""
        return self._java_obj.numClasses()

    @property
    def coefficientMatrix(self):
        """The weights as a matrix, if numFeatures is known: a row for each class, or one row for two classes."""
        return _java2py(SparkContext._active_spark_context, self._java_obj.coefficientMatrix())

    @property
    def interceptVector(self):
        """The weights that all rows have in common, one for each row of the matrix."""
        return _java2py(SparkContext._active_spark_context, self._java_obj.interceptVector())


class PsLinearRegression(_PsEstimator):
    """Linear regression, of squared errors, with Huber's loss, or of counts (Poisson)."""


class PsLinearRegressionModel(_PsLinearScorer):
    """A model of PsLinearRegression."""


class PsLinearSVC(_PsEstimator):
    """A linear support vector machine."""


class PsLinearSVCModel(_PsLinearScorer):
    """A model of PsLinearSVC."""


class PsFactorizationMachine(_PsEstimator):
    """A factorization machine for classification or regression, with AdaGrad on the servers."""


class PsFactorizationMachineModel(_PsScorer):
    """A model of PsFactorizationMachine."""


class PsDeepFM(_PsEstimator):
    """Linear part, pairs and a network over columns of categories, with Adam on the servers."""


class PsDeepFMModel(_PsScorer):
    """A model of PsDeepFM."""


class PsMatrixFactorization(_PsEstimator):
    """Factors of users and items from ratings, with AdaGrad on the servers, or from implicit feedback."""


class PsMatrixFactorizationModel(_PsScorer):
    """A model of PsMatrixFactorization."""

    @property
    def rank(self):
        """The number of factors."""
        return self._java_obj.rank()

    @property
    def userFactors(self):
        """A frame of the factors of the users: id, features and bias."""
        return self._frame(self._java_obj.userFactors())

    @property
    def itemFactors(self):
        """A frame of the factors of the items: id, features and bias."""
        return self._frame(self._java_obj.itemFactors())

    def recommendForAllUsers(self, numItems):
        """Returns a frame of the items with the highest predictions for each user, as pyspark.ml's ALSModel does."""
        return self._frame(self._java_obj.recommendForAllUsers(numItems))

    def recommendForAllItems(self, numUsers):
        """Returns a frame of the users with the highest predictions for each item."""
        return self._frame(self._java_obj.recommendForAllItems(numUsers))

    def recommendForUserSubset(self, dataset, numItems):
        """Returns recommendForAllUsers for the users of a frame."""
        return self._frame(self._java_obj.recommendForUserSubset(dataset._jdf, numItems))

    def recommendForItemSubset(self, dataset, numUsers):
        """Returns recommendForAllItems for the items of a frame."""
        return self._frame(self._java_obj.recommendForItemSubset(dataset._jdf, numUsers))


class PsWord2Vec(_PsEstimator):
    """Skip-gram with negative sampling, whose dot products the servers compute."""


class PsWord2VecModel(_PsModel):
    """Vectors of words."""

    @property
    def words(self):
        """The number of words."""
        return self._java_obj.words()

    def getVectors(self):
        """Returns a frame with the columns word and vector."""
        return self._frame(self._java_obj.getVectors())

    def findSynonyms(self, word, num):
        """Returns a frame of the most similar words, with the columns word and similarity.

        word is a text or a pyspark.ml.linalg.Vector.
        """
        if not isinstance(word, str):
            word = _py2java(SparkContext._active_spark_context, word)
        return self._frame(self._java_obj.findSynonyms(word, num))


class PsFeatureHasher(_PsStage, JavaTransformer):
    """Makes keys, hashes of 64 bits, of columns of categories."""


class PsRandomWalks(_PsStage, JavaTransformer):
    """Makes random walks of the edges of a graph, for PsWord2Vec."""


def start(spark):
    """Starts the servers in an application without the plugin, such as a notebook's."""
    spark._jvm.io.psf.spark.PsSpark.start(spark._jsparkSession)


def load_pipeline(path):
    """Loads a PipelineModel that has stages of this module, for which PipelineModel.load finds no Python class."""
    java_pipeline = SparkContext._jvm.org.apache.spark.ml.PipelineModel.load(path)
    return PipelineModel([_stage(each) for each in java_pipeline.stages()])


def _stage(java_stage):
    name = java_stage.getClass().getName()
    if name.startswith(_PACKAGE):
        return globals()[name[len(_PACKAGE) :]]._from_java(java_stage)
    return JavaParams._from_java(java_stage)
