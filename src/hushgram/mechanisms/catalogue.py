"""Hushgram's own mechanisms. A new one is one file and one line here."""

from hushgram.mechanisms.adaptive_grid import AdaptiveGrid as AdaptiveGrid
from hushgram.mechanisms.ahp import AHP as AHP
from hushgram.mechanisms.auto import Auto as Auto
from hushgram.mechanisms.bayes_tree import BayesTree as BayesTree
from hushgram.mechanisms.dpcube import DPCube as DPCube
from hushgram.mechanisms.grid_hierarchy import GridHierarchy as GridHierarchy
from hushgram.mechanisms.grouping_smoothing import GroupingSmoothing as GroupingSmoothing
from hushgram.mechanisms.hb import HB as HB
from hushgram.mechanisms.hierarchical import Hierarchical as Hierarchical
from hushgram.mechanisms.hybrid import Hybrid as Hybrid
from hushgram.mechanisms.identity import Identity as Identity
from hushgram.mechanisms.isotonic import Isotonic as Isotonic
from hushgram.mechanisms.kd_cell import KDCell as KDCell
from hushgram.mechanisms.kd_hybrid import KDHybrid as KDHybrid
from hushgram.mechanisms.kd_standard import KDStandard as KDStandard
from hushgram.mechanisms.noise_first import NoiseFirst as NoiseFirst
from hushgram.mechanisms.p_hpartition import PHPartition as PHPartition
from hushgram.mechanisms.privelet import Privelet as Privelet
from hushgram.mechanisms.privtree import PrivTree as PrivTree
from hushgram.mechanisms.privtree_hb import PrivTreeHB as PrivTreeHB
from hushgram.mechanisms.quadtree import Quadtree as Quadtree
from hushgram.mechanisms.sorted import Sorted as Sorted
from hushgram.mechanisms.structure_first import StructureFirst as StructureFirst
from hushgram.mechanisms.uniform_grid import UniformGrid as UniformGrid
